using System.Net.Http.Json;
using FastCgi.MatrixApp;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>TLS between client and web server.</summary>
internal static class EncryptionRows
{
    public static IReadOnlyList<MatrixRow> All { get; } =
    [
        new("scheme behind TLS", site => AskAsync(site, subject: null), "https, certificate none"),
        new MatrixRow(
            "client certificate", site => AskAsync(site, "CN=ann"), "https, certificate CN=ann")
            .But(MatrixColumns.H2o, "https, certificate none", "h2o 2.2.5 asks no client for a certificate."),
    ];

    private static async Task<string> AskAsync(MatrixSite site, string? subject)
    {
        using var client = site.CreateEncryptedClient(subject);
        var seen = (await client.GetFromJsonAsync<Seen>(new Uri("/", UriKind.Relative))
            .Within("the answer", site.Log, MatrixSite.Patience))!;
        return $"{seen.Scheme}, certificate {seen.Certificate ?? "none"}";
    }
}
