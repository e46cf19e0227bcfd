using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The application under /app, by each way in which it may learn of that.</summary>
internal static class MountRows
{
    private const string Right = "/app + /a%2Fb c, link /app/home, redirect /app/home?a=%2F";

    public static IReadOnlyList<Row> All { get; } =
    [
        Mounted("by the option PathBase", SampleMount.PathAlone),
        Mounted("by the param ASPNETCORE_PATHBASE", SampleMount.PathBaseParam),
        Mounted("by SCRIPT_NAME", SampleMount.ScriptName)
            .But(
                MatrixColumns.ApacheProxy,
                "/app/a%2Fb c + , link /app/a%2Fb%20c/home, redirect 200",
                "SCRIPT_NAME is the whole path. Take one of the other ways.")
            .But(
                [.. MatrixColumns.Caddy, .. MatrixColumns.H2o], " + /app/a%2Fb c, link /home, redirect 200",
                "SCRIPT_NAME is empty. Take one of the other ways."),
    ];

    private static Row Mounted(string by, SampleMount mount) => Of(
        $"under /app, {by}",
        async site =>
        {
            await using var mounted = await site.MountAsync(mount);
            var seen = await mounted.SeenAsync(
                Request("GET", "/app/a%2Fb%20c"), seen => $"{seen.PathBase} + {seen.Path}, link {seen.Link}");
            var redirect = await mounted.GotAsync(
                Request("GET", "/app/go-home"), response => response.Header("Location") ?? $"{response.Status}");
            return $"{seen}, redirect {redirect}";
        },
        Right);
}

/// <summary>TLS between client and web server.</summary>
internal static class EncryptionRows
{
    public static IReadOnlyList<Row> All { get; } =
    [
        Encrypted("scheme behind TLS", subject: null, "https, certificate none"),
        Encrypted("client certificate", "CN=ann", "https, certificate CN=ann")
            .But(MatrixColumns.H2o, "https, certificate none", "h2o 2.2.5 asks no client for a certificate."),
    ];

    private static Row Encrypted(string name, string? subject, string expected) => Of(
        name,
        async site =>
        {
            using var client = site.CreateEncryptedClient(subject);
            var seen = (await client.GetFromJsonAsync<Seen>(new Uri("/", UriKind.Relative))
                .Within("the answer", site.Log, MatrixSite.Patience))!;
            return $"{seen.Scheme}, certificate {seen.Certificate ?? "none"}";
        },
        expected);
}
