using FastCgi.WebServerTests.Documentation;

namespace FastCgi.WebServerTests.Instances;

/// <summary>The documented program: what one instance has signed, the other reads, if they share the keys.</summary>
public sealed class SharedKeysTests : IDisposable
{
    private const string Endpoints = """
        app.MapGet("/sign-in", () => Results.SignIn(
            new System.Security.Claims.ClaimsPrincipal(new System.Security.Claims.ClaimsIdentity(
                [new System.Security.Claims.Claim(System.Security.Claims.ClaimTypes.Name, "ada")], "Cookies")),
            authenticationScheme: "Cookies"));
        app.MapGet("/who", (HttpContext context) => context.User.Identity?.Name ?? "a stranger");
        app.MapGet("/token", (HttpContext context, Microsoft.AspNetCore.Antiforgery.IAntiforgery antiforgery) =>
            antiforgery.GetAndStoreTokens(context).RequestToken);
        app.MapPost("/form", async (HttpContext context, Microsoft.AspNetCore.Antiforgery.IAntiforgery antiforgery) =>
            await antiforgery.IsRequestValidAsync(context) ? "accepted" : "refused");
        """;

    private readonly WorkDirectory _directory = new();

    /// <summary>The one of the page, with endpoints.</summary>
    public static string Program => DocumentedSite.Program(Endpoints).Replace(
        "var app = builder.Build();",
        "builder.Services.AddAntiforgery();\nvar app = builder.Build();",
        StringComparison.Ordinal);

    [Fact]
    public async Task Who_is_signed_in_by_one_is_known_to_the_other_only_by_shared_keys()
    {
        await using var first = await StartAsync("first", "keys");
        await using var second = await StartAsync("second", "keys");
        await using var stranger = await StartAsync("stranger", "other-keys");
        Assert.Equal(("ada", "accepted"), await GoFromFirstAsync("second"));
        Assert.Equal(("a stranger", "refused"), await GoFromFirstAsync("stranger"));
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Signs in and fetches a form from the first, then tells the other who asks, and posts the form there.</summary>
    private async Task<(string Name, string Form)> GoFromFirstAsync(string other)
    {
        await using var nginx1 = await BackEnd.FastCgi.StartNginxAsync(_directory.File("first.sock"));
        await using var nginx2 = await BackEnd.FastCgi.StartNginxAsync(_directory.File($"{other}.sock"));
        var cookies = new CookieContainer();
        using var browser = new HttpClient(new SocketsHttpHandler { CookieContainer = cookies, UseProxy = false })
        {
            Timeout = Deadline.Default,
        };

        // A cookie belongs to a host, whatever the port.
        using var signedIn = await browser.GetAsync(new Uri($"http://{nginx1.EndPoint}/sign-in")).Within("the sign-in");
        Assert.Equal("ada", await browser.GetStringAsync(new Uri($"http://{nginx1.EndPoint}/who")).Within("the name"));
        var token = await browser.GetStringAsync(new Uri($"http://{nginx1.EndPoint}/token")).Within("a token");

        var name = await browser.GetStringAsync(new Uri($"http://{nginx2.EndPoint}/who")).Within("the other's name");
        using var form = new FormUrlEncodedContent(new Dictionary<string, string>
        {
            ["__RequestVerificationToken"] = token,
        });
        using var posted = await browser.PostAsync(new Uri($"http://{nginx2.EndPoint}/form"), form).Within("the form");
        return (name, await posted.Content.ReadAsStringAsync());
    }

    private Task<ChildProcess> StartAsync(string name, string keys) =>
        DocumentedPrograms.StartSharedKeysAsync(_directory.File(keys), _directory.File($"{name}.sock"));
}
