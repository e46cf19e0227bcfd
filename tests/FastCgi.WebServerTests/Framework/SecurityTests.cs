using Microsoft.AspNetCore.HttpOverrides;

namespace FastCgi.WebServerTests.Framework;

public sealed class SecurityTests
{
    /// <summary>AllowedHosts. nginx gives a name that it does not know to the first server of the port.</summary>
    [Theory, BackEnds]
    public async Task A_host_that_is_no_name_of_the_site_is_refused(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseHostFiltering();
                app.MapGet("/", (HttpRequest request) => request.Host.Host);
            },
            builder => builder.Services.AddHostFiltering(options => options.AllowedHosts = ["www.example.com"]));

        var own = await site.SendAsync("GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
        var foreign = await site.SendAsync("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        var absolute = await site.SendAsync("GET http://evil.example/ HTTP/1.1\r\nHost: www.example.com\r\n\r\n");

        Assert.Equal((200, "www.example.com"), (own.Status, own.Text));
        Assert.Equal((400, 400), (foreign.Status, absolute.Status));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task Forwarded_headers_of_a_further_proxy_count_when_that_proxy_is_known(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app =>
        {
            app.UseForwardedHeaders(new ForwardedHeadersOptions
            {
                ForwardedHeaders = ForwardedHeaders.XForwardedFor | ForwardedHeaders.XForwardedProto,
            });
            app.MapGet("/", (HttpContext context) => $"{context.Request.Scheme} {context.Connection.RemoteIpAddress}");
        }, builder => builder.WebHost.ConfigureFastCgi(options => options.AllowForwardedHeaders = true));
        var response = await site.AskAsync("/", "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https");
        Assert.Equal("https 203.0.113.9", response.Text);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task A_client_cannot_forge_its_address_through_a_forgotten_middleware(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                var forwarded = new ForwardedHeadersOptions { ForwardedHeaders = ForwardedHeaders.All };
                forwarded.KnownProxies.Clear();
                forwarded.KnownIPNetworks.Clear();
                app.UseForwardedHeaders(forwarded);
                app.MapGet("/", (HttpContext context) => string.Join(
                    ' ',
                    context.Request.Scheme,
                    context.Request.Host,
                    $"{context.Request.PathBase}{context.Request.Path}",
                    context.Connection.RemoteIpAddress,
                    context.Request.Headers.Keys.Count(key => key.StartsWith("X-", StringComparison.Ordinal)),
                    context.GetServerVariable("HTTP_X_FORWARDED_HOST") ?? "none"));
            },
            builder => builder.Logging.SetMinimumLevel(LogLevel.Information));
        for (var i = 0; i < 2; i++)
        {
            var response = await site.SendAsync(
                "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n" +
                "X-Forwarded-Host: evil.example\r\nX-Forwarded-Prefix: /evil\r\nForwarded: for=203.0.113.9\r\n" +
                "X-Real-IP: 203.0.113.9\r\nX-Original-Host: evil.example\r\n\r\n");
            Assert.Equal("http h / 127.0.0.1 0 none", response.Text);
        }

        var entry = Assert.Single(site.Log.Entries, entry => entry.EventId.Id == 315);
        Assert.Contains("AllowForwardedHeaders", entry.Message, StringComparison.Ordinal);
        Assert.Contains("HTTP_", entry.Message, StringComparison.Ordinal);
    }
}
