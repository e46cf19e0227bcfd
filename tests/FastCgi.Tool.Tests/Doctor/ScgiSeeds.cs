using System.Net;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Mistakes in locations of scgi_pass.</summary>
internal static partial class ScgiSeeds
{
    private const string Params = """
        include /etc/nginx/scgi_params;
                scgi_param HTTP_HOST $host:$server_port;
        """;

    private const string Buffers = "\n        scgi_buffer_size 32k;\n        scgi_buffers 16 32k;";
    private const string Facts = Params + Buffers;

    private const string PassLine = "\n        scgi_pass unix:SOCKET.scgi;";
    private const string Location = Facts + PassLine;

    private static readonly string s_right = Seed.Site(location: Location);

    /// <summary>They cause the same by SCGI, and are found there too.</summary>
    private static readonly string[] s_shared =
    [
        "pass-url", "unreachable", "other-protocol", "repeated-post", "host-port: Debian's fastcgi_params",
        "client-host", "decoded-target", "forged-fact: address", "guarded-path", "headers-off", "cache-key",
        "head-buffer: the application's head",
    ];

    private static readonly Seed[] s_seeds =
    [
        new Seed(
            "http-port",
            Seed.Site(location: $"{Facts}\n        scgi_pass HTTPPORT; {Seed.Mark}"),
            s_right,
            static async site => await site.StatusAsync() == HttpStatusCode.BadRequest).With("--probe"),
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
            "unverified-user",
            Seed.Site(location: $"{Facts}\n        scgi_param REMOTE_USER $remote_user; {Seed.Mark}{PassLine}"),
            s_right,
            static async site => await site.SeenAsync("user", "/", ("Authorization", "Basic ZXZpbDp4")) == "evil"),
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
    ];

    public static IEnumerable<Seed> All =>
    [
        .. s_seeds.Select(static seed => seed.Named($"scgi: {seed.Rule}")),
        .. Shared(UpstreamSeeds.All), .. Shared(ParameterSeeds.All), .. Shared(TrustSeeds.All),
        .. Shared(LocationSeeds.All),
    ];

    private static IEnumerable<Seed> Shared(IEnumerable<Seed> seeds) =>
        from seed in seeds
        where s_shared.Contains(seed.Name)
        select seed with
        {
            Name = $"scgi: {seed.Name}", Wrong = OverScgi(seed.Wrong), Right = OverScgi(seed.Right),
        };

    private static string OverScgi(string site) => OtherSocket().Replace(
        site.Replace("fastcgi_", "scgi_", StringComparison.Ordinal),
        static socket => socket.Length == "SOCKET".Length ? "SOCKET.scgi" : "SOCKET");

    [GeneratedRegex(@"SOCKET(\.scgi)?(?=[; ])")]
    private static partial Regex OtherSocket();
}
