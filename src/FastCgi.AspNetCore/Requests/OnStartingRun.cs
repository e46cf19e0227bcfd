
namespace FastCgi.AspNetCore.Requests;

/// <summary>The OnStarting callbacks of one response under way: each once, and what one fails with is kept.</summary>
internal sealed class OnStartingRun
{
    /// <summary>Completes when all callbacks that were begun have run, and fails as they do.</summary>
    public Task Task { get; private set; } = Task.CompletedTask;

    /// <summary>The exception of a callback; null while there is none.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>
    /// Runs the callbacks that are left, then <paramref name="onSuccess"/> or <paramref name="onFailure"/>. One of them
    /// may call this for those behind it.
    /// </summary>
    public Task RunAsync(RequestFeatures features, Action? onSuccess, Action<Exception> onFailure)
    {
        Task run = RunOnceAsync(features, onSuccess, onFailure);
        Task = Task.IsCompleted ? run : Task.WhenAll(Task, run);
        return run;
    }

    private async Task RunOnceAsync(RequestFeatures features, Action? onSuccess, Action<Exception> onFailure)
    {
        try
        {
            await features.FireOnStartingAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            Failure ??= exception;
            onFailure(exception);
            throw;
        }

        onSuccess?.Invoke();
    }
}
