using System.Net;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Mistakes in locations of scgi_pass.</summary>
internal static class ScgiSeeds
{
    private const string Params = """
        include /etc/nginx/scgi_params;
                scgi_param HTTP_HOST $host:$server_port;
        """;

    private const string Buffers = "\n        scgi_buffer_size 32k;\n        scgi_buffers 16 32k;";
    private const string Facts = Params + Buffers;

    private const string PassLine = "\n        scgi_pass unix:SOCKET.scgi;";
    private const string Location = Facts + PassLine;

    private const string Denied = $"\n        deny all;\n        {Location}\n    }}";

    private static readonly string s_right = Seed.Site(location: Location);

    private static readonly Seed[] s_seeds =
    [
        new(
            "pass-url",
            Seed.Site(location: $"{Facts}\n        scgi_pass http://127.0.0.1:5000; {Seed.Mark}"),
            s_right,
            static site => Task.FromResult(site.StartError is not null)),
        new Seed(
            "http-port",
            Seed.Site(location: $"{Facts}\n        scgi_pass HTTPPORT; {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync() == HttpStatusCode.BadRequest).With("--probe"),
        new Seed(
            "unreachable",
            Seed.Site(location: $"{Facts}\n        scgi_pass unix:SOCKET.none; {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync() == HttpStatusCode.BadGateway).With("--probe"),
        new Seed(
            "other-protocol",
            Seed.Site(location: $"{Facts}\n        scgi_pass unix:SOCKET; {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync() == HttpStatusCode.BadGateway).With("--probe"),
        new(
            "repeated-post",
            Seed.Site(
                "upstream app { server DROPPER; server unix:SOCKET.scgi backup; }",
                location: $"{Facts}\n        scgi_pass app;\n        " +
                    $"scgi_next_upstream error non_idempotent; {Seed.Mark}"),
            Seed.Site(
                "upstream app { server DROPPER; server unix:SOCKET.scgi backup; }",
                location: $"{Facts}\n        scgi_pass app;"),
            static async site => (await site.PostAsync(1)).Status == HttpStatusCode.OK),
        new(
            "params-missing",
            Seed.Site(location: $"{Buffers}\n        scgi_pass unix:SOCKET.scgi; {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync() != HttpStatusCode.OK),
        new(
            "params-cancelled",
            Seed.Site(server: Facts, location: $"scgi_param APP_NAME shop; {Seed.Mark}{PassLine}"),
            Seed.Site(server: Facts, location: "scgi_pass unix:SOCKET.scgi;"),
            static async site => await site.StatusAsync() != HttpStatusCode.OK),
        new(
            "host-port",
            Seed.Site(
                location: $"include /etc/nginx/scgi_params;{Buffers}\n        scgi_pass unix:SOCKET.scgi; {Seed.Mark}"),
            s_right,
            static async site => !(await site.SeenAsync("host")).Contains(':', StringComparison.Ordinal)),
        new(
            "client-host",
            Seed.Site(
                location: $"include /etc/nginx/scgi_params;\n        " +
                    $"scgi_param HTTP_HOST $http_host; {Seed.Mark}{Buffers}{PassLine}"),
            s_right,
            static async site => await site.SeenHostOfAbsoluteTargetAsync() == "evil.example"),
        new(
            "decoded-target",
            Seed.Site(location: $"{Facts}\n        scgi_param REQUEST_URI $uri; {Seed.Mark}{PassLine}"),
            s_right,
            static async site => await site.SeenAsync("target", "/a%2Fb") != "/a%2Fb"),
        new(
            "unverified-user",
            Seed.Site(location: $"{Facts}\n        scgi_param REMOTE_USER $remote_user; {Seed.Mark}{PassLine}"),
            s_right,
            static async site => await site.SeenAsync("user", "/", ("Authorization", "Basic ZXZpbDp4")) == "evil"),
        new(
            "forged-fact",
            Seed.Site(
                location: $"{Facts}\n        scgi_param REMOTE_ADDR $http_x_forwarded_for; {Seed.Mark}{PassLine}"),
            s_right,
            static async site =>
                await site.SeenAsync("remote", "/", ("X-Forwarded-For", "203.0.113.66")) == "203.0.113.66"),
        new(
            "guarded-path",
            Seed.Site(location: Location, after: $"location /admin {{ {Seed.Mark}{Denied}"),
            Seed.Site(location: Location, after: $"location ~* ^/admin {{{Denied}"),
            static async site => await site.StatusAsync("/admin") == HttpStatusCode.Forbidden
                && await site.StatusAsync("/ADMIN") == HttpStatusCode.OK),
        new(
            "try-files",
            Seed.Site(location: $"try_files $uri =404; {Seed.Mark}\n        {Location}"),
            s_right,
            static async site => await site.StatusAsync("/orders/7") == HttpStatusCode.NotFound),
        new(
            "proxy-directive",
            Seed.Site(location: $"{Location}\n        fastcgi_param HTTP_X_TEST yes; {Seed.Mark}"),
            Seed.Site(location: $"{Location}\n        scgi_param HTTP_X_TEST yes;"),
            static async site => await site.SeenAsync("test") != "yes"),
        new(
            "websocket",
            Seed.Site(location: $"{Facts}\n        scgi_param HTTP_UPGRADE \"\"; {Seed.Mark}{PassLine}"),
            s_right,
            static async site => !await LocationSeeds.UpgradesAsync(site)),
        new(
            "scgi-unbuffered",
            Seed.Site(location: $"{Location}\n        scgi_request_buffering off; {Seed.Mark}"),
            s_right,
            static async site => SeedSite.Line((await site.PostAsync(900_000)).Text, "body") != "900000"),
        new(
            "headers-off",
            Seed.Site(location: $"{Location}\n        scgi_pass_request_headers off; {Seed.Mark}"),
            s_right,
            static async site => (await site.SeenAsync("cookie", "/", ("Cookie", "a=b"))).Length == 0),
        new Seed(
            "head-buffer",
            Seed.Site(location: $"{Params}{PassLine} {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync("/?head=6000") == HttpStatusCode.BadGateway)
            .With("--probe", "--url", "/?head=6000"),
        new(
            "cache-key",
            Seed.Site(
                "scgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Location}\n        scgi_cache pages;\n        scgi_cache_key $host$uri; {Seed.Mark}"),
            Seed.Site(
                "scgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Location}\n        scgi_cache pages;\n        " +
                    "scgi_cache_key $request_method$host$request_uri;"),
            static async site =>
                await site.SeenAsync("target", "/cached?page=1") == await site.SeenAsync("target", "/cached?page=2")),
    ];

    public static IEnumerable<Seed> All => s_seeds.Select(static seed => seed.Named($"scgi: {seed.Rule}"));
}
