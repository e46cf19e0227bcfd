using System.Net;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Params that are missing or say the wrong thing.</summary>
internal static class ParameterSeeds
{
    private const string Base = "include /etc/nginx/fastcgi_params;\n        " +
        "fastcgi_param REMOTE_USER \"\";\n        " +
        Seed.Buffers + "\n        ";
    private const string OtherParams = """
        fastcgi_param REQUEST_METHOD $request_method;
                fastcgi_param REQUEST_URI $request_uri;
                fastcgi_param DOCUMENT_URI $document_uri;
                fastcgi_param QUERY_STRING $query_string;
                fastcgi_param CONTENT_TYPE $content_type;
                fastcgi_param CONTENT_LENGTH $content_length;
                fastcgi_param SERVER_PROTOCOL $server_protocol;
                fastcgi_param REMOTE_ADDR $remote_addr;
                fastcgi_param SERVER_PORT $server_port;
                fastcgi_buffer_size 32k;
                fastcgi_buffers 16 32k;
        """;

    private const string PassLine = "\n        fastcgi_pass unix:SOCKET;";

    public static IEnumerable<Seed> All =>
    [
        new(
            "params-missing",
            Seed.Site(location: $"{Seed.Buffers}\n        fastcgi_pass unix:SOCKET; {Seed.Mark}"),
            static async site => await site.StatusAsync() == HttpStatusCode.InternalServerError),
        new Seed(
            "params-missing",
            Seed.Site(location: $"""
                fastcgi_param REQUEST_METHOD $request_method;
                fastcgi_param REQUEST_URI $request_uri;
                fastcgi_param QUERY_STRING $query_string;
                fastcgi_param SERVER_PROTOCOL $server_protocol;
                fastcgi_param REMOTE_ADDR $remote_addr;
                fastcgi_param SERVER_PORT $server_port;
                {Seed.Buffers}
                fastcgi_pass unix:SOCKET; {Seed.Mark}
                """),
            static async site => SeedSite.Line((await site.PostAsync(2, "application/json")).Text, "type").Length == 0)
            .Named("params-missing: no CONTENT_TYPE"),
        new(
            "params-cancelled",
            Seed.Site(server: Seed.Facts, location: $"fastcgi_param APP_NAME shop; {Seed.Mark}{PassLine}"),
            Seed.Site(server: Seed.Facts, location: "fastcgi_pass unix:SOCKET;"),
            static async site => await site.StatusAsync() == HttpStatusCode.InternalServerError),
        new(
            "host-port",
            Seed.Site(location: $"{Base}fastcgi_param HTTP_HOST $host; {Seed.Mark}{PassLine}"),
            static async site => !(await site.SeenAsync("host")).Contains(':', StringComparison.Ordinal)),
        new Seed(
            "host-port",
            Seed.Site(location: $"{Base}fastcgi_pass unix:SOCKET; {Seed.Mark}"),
            static async site => !(await site.SeenAsync("host")).Contains(':', StringComparison.Ordinal))
            .Named("host-port: Debian's fastcgi_params"),
        new(
            "client-host",
            Seed.Site(location: $"{Base}fastcgi_param HTTP_HOST $http_host; {Seed.Mark}{PassLine}"),
            static async site => await site.SeenHostOfAbsoluteTargetAsync() == "evil.example"),
        new Seed(
            "client-host",
            Seed.Site(location: $"{OtherParams}\n        fastcgi_pass unix:SOCKET; {Seed.Mark}"),
            Seed.Site(location: $"{OtherParams}\n        fastcgi_param HTTP_HOST $host:$server_port;{PassLine}"),
            static async site => await site.SeenHostOfAbsoluteTargetAsync() == "evil.example")
            .Named("client-host: fastcgi_params of nginx before 1.30"),
        new(
            "decoded-target",
            Seed.Site(location: $"{Seed.Facts}\n        fastcgi_param REQUEST_URI $uri; {Seed.Mark}{PassLine}"),
            static async site => await site.SeenAsync("target", "/a%2Fb") != "/a%2Fb"),
        new(
            "https-value",
            Seed.Site(
                location: $"{Seed.Facts}\n        fastcgi_param REQUEST_SCHEME \"\";\n        " +
                    $"fastcgi_param HTTPS $http_x_forwarded_proto; {Seed.Mark}{PassLine}"),
            Seed.Site(
                Seed.Balancer,
                location: $"{Seed.Facts}\n        fastcgi_param HTTPS $client_https if_not_empty;{PassLine}"),
            SeesHttpAsync),
        new(
            "https-behind-balancer",
            Seed.Site(server: $"set_real_ip_from 127.0.0.1; {Seed.Mark}"),
            Seed.Site(
                Seed.Balancer,
                "set_real_ip_from 127.0.0.1;",
                $"{Seed.Facts}\n        fastcgi_param HTTPS $client_https if_not_empty;{PassLine}"),
            SeesHttpAsync),
    ];

    private static async Task<bool> SeesHttpAsync(SeedSite site) =>
        await site.SeenAsync("scheme", "/", ("X-Forwarded-Proto", "https")) == "http";
}
