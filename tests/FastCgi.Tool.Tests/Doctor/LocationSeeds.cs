using System.Net;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Directives that do something else than their author wanted, and limits that are too small.</summary>
internal static class LocationSeeds
{
    private const string ScgiLocation =
        "location /hub {\n        include /etc/nginx/scgi_params;\n        " +
        "scgi_param HTTP_HOST $host:$server_port;\n        " +
        "scgi_buffer_size 32k;\n        scgi_buffers 16 32k;\n        scgi_pass unix:SOCKET.scgi;\n    }";

    private const string Unbuffered = Seed.Params + "\n        fastcgi_pass unix:SOCKET;";

    public static IEnumerable<Seed> All =>
    [
        new(
            "try-files",
            Seed.Site(location: $"try_files $uri $uri/ =404; {Seed.Mark}\n        {Seed.Location}"),
            Seed.Site(location: "try_files $uri @app;", after: $"location @app {{\n        {Seed.Location}\n    }}"),
            static async site => await site.StatusAsync("/orders/7") == HttpStatusCode.NotFound),
        new(
            "proxy-directive",
            Seed.Site(location: $"{Seed.Location}\n        proxy_set_header X-Test yes; {Seed.Mark}"),
            Seed.Site(location: $"{Seed.Location}\n        fastcgi_param HTTP_X_TEST yes;"),
            static async site => await site.SeenAsync("test") != "yes"),
        new(
            "websocket",
            Seed.Site(location: $"{Seed.Location}\n        proxy_set_header Upgrade $http_upgrade; {Seed.Mark}"),
            Seed.Site(
                after: ScgiLocation),
            static async site => !await UpgradesAsync(site)),
        new Seed(
            "websocket",
            Seed.Site(
                location: $"{Seed.Facts}\n        " +
                    $"fastcgi_param HTTP_UPGRADE $http_upgrade; {Seed.Mark}\n        fastcgi_pass unix:SOCKET;"),
            Seed.Site(
                after: ScgiLocation),
            static async site => !await UpgradesAsync(site)).Named("websocket: param"),
        new(
            "headers-off",
            Seed.Site(location: $"{Seed.Location}\n        fastcgi_pass_request_headers off; {Seed.Mark}"),
            static async site => (await site.SeenAsync("cookie", "/", ("Cookie", "a=b"))).Length == 0),
        new(
            "body-off",
            Seed.Site(location: $"{Seed.Location}\n        fastcgi_pass_request_body off; {Seed.Mark}"),
            static async site => SeedSite.Line((await site.PostAsync(5)).Text, "body") != "5"),
        new(
            "head-buffer",
            Seed.Site(location: $"{Unbuffered}\n        fastcgi_buffer_size 1k; {Seed.Mark}"),
            static async site => await site.StatusAsync("/?head=2000") == HttpStatusCode.BadGateway),
        new Seed(
            "head-buffer",
            Seed.Site(location: $"{Unbuffered} {Seed.Mark}"),
            static async site => await site.StatusAsync("/?head=6000") == HttpStatusCode.BadGateway)
            .Named("head-buffer: the application's head").With("--probe", "--url", "/?head=6000"),
        new Seed(
            "body-limit",
            Seed.Site(server: $"client_max_body_size 10k; {Seed.Mark}"),
            Seed.Site(server: "client_max_body_size 2m;"),
            static async site => (await site.PostAsync(20_000)).Status == HttpStatusCode.RequestEntityTooLarge)
            .With("--settings", "SETTINGS"),
        new Seed(
            "body-limit",
            Seed.Site(server: $"client_max_body_size 0; {Seed.Mark}"),
            Seed.Site(server: "client_max_body_size 1m;"),
            static async site => (await site.PostAsync(2_000_000)).Status != HttpStatusCode.RequestEntityTooLarge)
            .Named("body-limit: none"),
        new Seed(
            "body-limit",
            Seed.Site(server: $"client_max_body_size 1m; {Seed.Mark}"),
            Seed.Site(server: "client_max_body_size 0;"),
            static async site => (await site.PostAsync(2_000_000)).Status == HttpStatusCode.RequestEntityTooLarge)
            .Named("body-limit: none in the application").With("--settings", "UNLIMITED"),
    ];

    public static async Task<bool> UpgradesAsync(SeedSite site)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/hub");
        request.Headers.Connection.Add("Upgrade");
        request.Headers.Upgrade.ParseAdd("websocket");
        using var response = await site.Client.SendAsync(request);
        return SeedSite.Line(await response.Content.ReadAsStringAsync(), "upgradable") == "True";
    }
}
