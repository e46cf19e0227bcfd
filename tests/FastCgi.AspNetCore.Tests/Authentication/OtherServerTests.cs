using Microsoft.AspNetCore.TestHost;

namespace FastCgi.AspNetCore.Tests.Authentication;

/// <summary>Where requests come by HTTP, there is no param that a client could not have made.</summary>
public class OtherServerTests
{
    private readonly LogRecorder _logs = new();

    [Fact]
    public async Task On_another_server_nobody_is_signed_in_and_a_challenge_is_401()
    {
        await using var app = await StartAsync();
        using var client = app.GetTestClient();
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://localhost/members"));
        request.Headers.Add("REMOTE_USER", "evil");
        request.Headers.Add("Remote-User", "evil");
        request.Headers.Add("AUTH_TYPE", "Basic");
        request.Headers.Authorization = new("Basic", Convert.ToBase64String("evil:x"u8));

        using var response = await client.SendAsync(request).Within("the answer");

        Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        Assert.Empty(response.Headers.WwwAuthenticate);
        Assert.DoesNotContain(_logs.Entries, entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Not_even_by_what_it_calls_server_variables()
    {
        await using var app = await StartAsync();

        var context = await app.GetTestServer().SendAsync(request =>
        {
            request.Request.Path = "/members";
            request.Features.Set<IServerVariablesFeature>(new Variables());
        }).Within("the answer");

        Assert.Equal(StatusCodes.Status401Unauthorized, context.Response.StatusCode);
    }

    private async Task<WebApplication> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders().AddProvider(_logs);
        builder.WebHost.UseTestServer();
        builder.Services.AddAuthentication().AddFastCgiUser(static options => options.UserParameter = "REMOTE_USER");
        builder.Services.AddAuthorization();
        var app = builder.Build();
        app.MapGet("/members", static (HttpContext context) => context.User.Identity!.Name).RequireAuthorization();
        await app.StartAsync().Within("the start");
        return app;
    }

    private sealed class Variables : IServerVariablesFeature
    {
        public string? this[string variableName]
        {
            get => variableName switch { "REMOTE_USER" => "evil", "AUTH_TYPE" => "Basic", _ => null };
            set => throw new NotSupportedException();
        }
    }
}
