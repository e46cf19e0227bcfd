using FastCgi.WebServerKit.Samples;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The application under /app, by each way in which it may learn of that.</summary>
internal static class MountRows
{
    private const string Right = "/app + /a%2Fb c, link /app/home, redirect /app/home?a=%2F";

    public static IReadOnlyList<MatrixRow> All { get; } =
    [
        new("under /app, by the option PathBase", site => AskAsync(site, SampleMount.PathAlone), Right),
        new("under /app, by the param ASPNETCORE_PATHBASE", site => AskAsync(site, SampleMount.PathBaseParam), Right),
        new MatrixRow("under /app, by SCRIPT_NAME", site => AskAsync(site, SampleMount.ScriptName), Right)
            .But(
                MatrixColumns.ApacheProxy,
                "/app/a%2Fb c + , link /app/a%2Fb%20c/home, redirect 200",
                "SCRIPT_NAME is the whole path. Take one of the other ways.")
            .But(
                [.. MatrixColumns.Caddy, .. MatrixColumns.H2o], " + /app/a%2Fb c, link /home, redirect 200",
                "SCRIPT_NAME is empty. Take one of the other ways."),
    ];

    private static async Task<string> AskAsync(MatrixSite site, SampleMount mount)
    {
        await using var mounted = await site.MountAsync(mount);
        var seen = await mounted.SeenAsync(
            MatrixRow.Request("GET", "/app/a%2Fb%20c"), seen => $"{seen.PathBase} + {seen.Path}, link {seen.Link}");
        var redirect = await mounted.GotAsync(
            MatrixRow.Request("GET", "/app/go-home"),
            response => response.Header("Location") ?? $"{response.Status}");
        return $"{seen}, redirect {redirect}";
    }
}
