
namespace MvcSample.Data;

/// <summary>Makes the database, with a first note, before the server takes requests.</summary>
internal sealed class DatabaseSetup(IServiceScopeFactory scopes, TimeProvider time) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await using var scope = scopes.CreateAsyncScope();
        var notes = scope.ServiceProvider.GetRequiredService<NotesContext>();

        if (await notes.Database.EnsureCreatedAsync(cancellationToken))
        {
            notes.Notes.Add(new Note
            {
                Author = "The management",
                Text = "Welcome! Everybody may write here; who is signed in may also tidy up.",
                Form = Guid.NewGuid(),
                Written = time.GetUtcNow().UtcDateTime,
            });
            await notes.SaveChangesAsync(cancellationToken);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
