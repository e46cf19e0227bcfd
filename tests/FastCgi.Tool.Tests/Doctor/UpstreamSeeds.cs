using System.Net;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Mistakes between nginx and the address of the application.</summary>
internal static class UpstreamSeeds
{
    private const string Pass = Seed.Facts + "\n        fastcgi_pass app;";
    private const string KeptPass = Pass + "\n        fastcgi_keep_conn on;";
    private const string Kept = "upstream app { server unix:SOCKET; keepalive 8; }";

    public static IEnumerable<Seed> All =>
    [
        new Seed(
            "http-port",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_pass HTTPPORT; {Seed.Mark}"),
            static async site => await site.StatusAsync() == HttpStatusCode.BadGateway).With("--probe"),
        new Seed(
            "unreachable",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_pass unix:SOCKET.none; {Seed.Mark}"),
            static async site => await site.StatusAsync() == HttpStatusCode.BadGateway).With("--probe"),
        new Seed(
            "other-protocol",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_pass unix:SOCKET.scgi; {Seed.Mark}"),
            static async site => await site.StatusAsync() == HttpStatusCode.BadGateway).With("--probe"),
        new(
            "pass-url",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_pass http://127.0.0.1:5000; {Seed.Mark}"),
            static site => Task.FromResult(site.StartError is not null)),
        new Seed(
            "syntax",
            Seed.Site($"upstream app {{ {Seed.Mark}\n    keepalive 8;\n}}", location: KeptPass),
            Seed.Site(Kept, location: KeptPass),
            static site => Task.FromResult(site.StartError is not null)).Named("upstream without a server"),
        new(
            "keepalive-order",
            Seed.Site(
                $"upstream app {{\n    server unix:SOCKET;\n    keepalive 8; {Seed.Mark}\n    least_conn;\n}}",
                location: KeptPass),
            Seed.Site(
                "upstream app {\n    server unix:SOCKET;\n    least_conn;\n    keepalive 8;\n}", location: KeptPass),
            OpensConnectionsAsync) { IsHint = true },
        new(
            "keepalive-without-keep-conn",
            Seed.Site(Kept, location: $"{Pass} {Seed.Mark}"),
            Seed.Site(Kept, location: KeptPass),
            OpensConnectionsAsync) { IsHint = true },
        new(
            "keep-conn-without-keepalive",
            Seed.Site(
                location: $"{Seed.Facts}\n        fastcgi_keep_conn on;\n        " +
                    $"fastcgi_pass unix:SOCKET; {Seed.Mark}"),
            Seed.Site(Kept, location: KeptPass),
            OpensConnectionsAsync) { IsHint = true },
        new(
            "repeated-post",
            Seed.Site(
                "upstream app { server DROPPER; server unix:SOCKET backup; }",
                location: $"{Pass}\n        fastcgi_next_upstream error non_idempotent; {Seed.Mark}"),
            Seed.Site("upstream app { server DROPPER; server unix:SOCKET backup; }", location: Pass),
            // The first instance takes the request and dies.
            static async site => (await site.PostAsync(1)).Status == HttpStatusCode.OK),
    ];

    private static async Task<bool> OpensConnectionsAsync(SeedSite site) =>
        await site.SeenAsync("connection") != await site.SeenAsync("connection");
}
