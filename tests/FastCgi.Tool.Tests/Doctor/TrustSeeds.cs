using System.Net;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Facts that the client decides.</summary>
internal static class TrustSeeds
{
    private const string PassLine = "\n        fastcgi_pass unix:SOCKET;";
    private const string Evil = "Basic ZXZpbDp4";

    public static IEnumerable<Seed> All =>
    [
        new(
            "unverified-user",
            Seed.Site(
                location: $"include /etc/nginx/fastcgi_params;\n        " +
                    $"fastcgi_param HTTP_HOST $host:$server_port;\n        {Seed.Buffers}\n        " +
                    $"fastcgi_pass unix:SOCKET; {Seed.Mark}"),
            static async site => await site.SeenAsync("user", "/", ("Authorization", Evil)) == "evil"),
        new Seed(
            "unverified-user",
            Members("satisfy any;\n        allow 127.0.0.1;\n        deny all;", Seed.Mark),
            Members("satisfy any;\n        deny all;"),
            static async site => await site.StatusAsync() == HttpStatusCode.OK
                && await site.SeenAsync("user", "/", ("Authorization", Evil)) == "evil")
            .Named("unverified-user: address instead of a password"),
        new Seed(
            "forged-fact",
            Seed.Site(
                location: $"{Seed.Facts}\n        " +
                    $"fastcgi_param REMOTE_ADDR $http_x_forwarded_for; {Seed.Mark}{PassLine}"),
            ForgesAddressAsync).Named("forged-fact: address"),
        new Seed(
            "forged-fact",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_param REMOTE_USER $http_x_user; {Seed.Mark}{PassLine}"),
            static async site =>
                await site.SeenAsync("user", "/", ("X-User", "evil")) == "evil").Named("forged-fact: user"),
        new Seed(
            "forged-fact",
            Seed.Site(
                location: $"{Seed.Facts}\n        " +
                    $"fastcgi_param HTTP_HOST $http_x_forwarded_host; {Seed.Mark}{PassLine}"),
            static async site =>
                await site.SeenAsync("host", "/", ("X-Forwarded-Host", "evil.example")) == "evil.example")
            .Named("forged-fact: host"),
        new(
            "real-ip-from-everybody",
            Seed.Site(
                Seed.Balancer,
                $"real_ip_header X-Forwarded-For;\n    set_real_ip_from 0.0.0.0/0; {Seed.Mark}",
                $"{Seed.Facts}\n        fastcgi_param HTTPS $client_https if_not_empty;{PassLine}"),
            ForgesAddressAsync),
        new Seed(
            "forged-fact",
            Seed.Site(
                "map $http_x_forwarded_proto $from_https { https on; }",
                location: $"{Seed.Facts}\n        fastcgi_param HTTPS $from_https if_not_empty; {Seed.Mark}{PassLine}"),
            Seed.Site(
                Seed.Balancer.Replace("127.0.0.0/8", "10.0.0.0/8"),
                location: $"{Seed.Facts}\n        fastcgi_param HTTPS $client_https if_not_empty;{PassLine}"),
            ForgesSchemeAsync).Named("forged-fact: https by a map"),
        new Seed(
            "forged-fact",
            Seed.Site(
                location: $"{Seed.Facts}\n        " +
                    $"fastcgi_param REQUEST_SCHEME $http_x_forwarded_proto; {Seed.Mark}{PassLine}"),
            ForgesSchemeAsync).Named("forged-fact: scheme"),
        new(
            "underscores",
            Seed.Site(server: $"underscores_in_headers on; {Seed.Mark}"),
            static async site =>
                (await site.SeenAsync("x-user", "/", ("X_User", "evil"))).Contains("evil", StringComparison.Ordinal)),
        new(
            "guarded-path",
            Seed.Site(after: $"location /admin {{ {Seed.Mark}\n        deny all;\n        {Seed.Location}\n    }}"),
            Seed.Site(after: $"location ~* ^/admin {{\n        deny all;\n        {Seed.Location}\n    }}"),
            static async site => await site.StatusAsync("/admin") == HttpStatusCode.Forbidden
                && await site.StatusAsync("/ADMIN") == HttpStatusCode.OK),
        new(
            "cache-key",
            Seed.Site(
                "fastcgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Seed.Location}\n        fastcgi_cache pages;\n        " +
                    $"fastcgi_cache_key $host$uri; {Seed.Mark}"),
            Seed.Site(
                "fastcgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Seed.Location}\n        fastcgi_cache pages;\n        " +
                    "fastcgi_cache_key $request_method$host$request_uri;"),
            static async site =>
                await site.SeenAsync("target", "/cached?page=1") == await site.SeenAsync("target", "/cached?page=2")),
        new(
            "cached-cookie",
            Seed.Site(
                "fastcgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Seed.Location}\n        fastcgi_cache pages;\n        " +
                    $"fastcgi_cache_key $request_method$request_uri;\n        " +
                    $"fastcgi_ignore_headers Set-Cookie; {Seed.Mark}"),
            Seed.Site(
                "fastcgi_cache_path DIRECTORY/cache keys_zone=pages:1m;",
                location: $"{Seed.Location}\n        fastcgi_cache pages;\n        " +
                    "fastcgi_cache_key $request_method$request_uri;"),
            static async site => await CookieAsync(site) == await CookieAsync(site)),
    ];

    /// <summary>A location with passwords, which no client of the test knows.</summary>
    private static string Members(string access, string mark = "") => Seed.Site(
        location: $"include /etc/nginx/fastcgi_params;\n        fastcgi_param HTTP_HOST $host:$server_port;\n        " +
            $"{Seed.Buffers}\n        auth_basic members;\n        auth_basic_user_file /dev/null;\n        " +
            $"{access}\n        fastcgi_pass unix:SOCKET; {mark}");

    private static async Task<bool> ForgesAddressAsync(SeedSite site) =>
        await site.SeenAsync("remote", "/", ("X-Forwarded-For", "203.0.113.66")) == "203.0.113.66";

    private static async Task<bool> ForgesSchemeAsync(SeedSite site) =>
        await site.SeenAsync("scheme", "/", ("X-Forwarded-Proto", "https")) == "https";

    private static async Task<string> CookieAsync(SeedSite site)
    {
        using var response = await site.Client.GetAsync("/login");
        return response.Headers.GetValues("Set-Cookie").Single();
    }
}
