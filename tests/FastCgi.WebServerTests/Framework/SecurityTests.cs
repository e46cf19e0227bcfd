using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Framework;

public sealed class SecurityTests
{
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_session_lives_from_request_to_request(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseSession();
                app.MapGet("/", (HttpContext context) =>
                {
                    var count = (context.Session.GetInt32("count") ?? 0) + 1;
                    context.Session.SetInt32("count", count);
                    return count;
                });
            },
            builder =>
            {
                builder.Services.AddDataProtection().UseEphemeralDataProtectionProvider();
                builder.Services.AddDistributedMemoryCache().AddSession();
            });

        var first = await site.AskAsync("/");
        var cookie = first.Header("Set-Cookie")!.Split(';')[0];
        var second = await site.AskAsync("/", $"Cookie: {cookie}");
        Assert.Equal(("1", "2"), (first.Text, second.Text));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_form_needs_its_antiforgery_token(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseAntiforgery();
                app.MapGet("/", (HttpContext context, IAntiforgery antiforgery) =>
                    antiforgery.GetAndStoreTokens(context).RequestToken);
                app.MapPost("/", ([FromForm] string name) => $"hello {name}");
            },
            builder =>
            {
                builder.Services.AddDataProtection().UseEphemeralDataProtectionProvider();
                builder.Services.AddAntiforgery();
            });

        var page = await site.AskAsync("/");
        var cookie = page.Header("Set-Cookie")!.Split(';')[0];
        var token = page.Text;
        Assert.Equal(400, (await site.SendAsync(Form("name=you", cookie))).Status);
        var response = await site.SendAsync(
            Form($"name=you&__RequestVerificationToken={Uri.EscapeDataString(token)}", cookie));
        Assert.Equal((200, "hello you"), (response.Status, response.Text));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task CORS_answers_a_preflight_and_marks_the_answer(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseCors();
                app.MapPut("/", () => "put").RequireCors("one");
            },
            builder => builder.Services.AddCors(options => options.AddPolicy("one", policy =>
                policy.WithOrigins("https://one.example").WithMethods("PUT").WithHeaders("X-One"))));

        var preflight = await site.SendAsync(
            "OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: https://one.example\r\n" +
            "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: X-One\r\n\r\n");
        Assert.Equal(
            (204, "https://one.example", "PUT", "X-One"),
            (preflight.Status, preflight.Header("Access-Control-Allow-Origin"),
             preflight.Header("Access-Control-Allow-Methods"), preflight.Header("Access-Control-Allow-Headers")));
        var response = await site.SendAsync(
            "PUT / HTTP/1.1\r\nHost: h\r\nOrigin: https://one.example\r\nContent-Length: 0\r\n\r\n");
        Assert.Equal(("put", "https://one.example"), (response.Text, response.Header("Access-Control-Allow-Origin")));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task HTTPS_redirection_redirects_plain_requests_and_serves_encrypted_ones(BackEndKind backEnd)
    {
        Action<WebApplication> redirecting = app =>
        {
            app.UseHttpsRedirection();
            app.UseHsts();
            app.MapGet("/{**path}", (HttpRequest request) => request.Scheme);
        };
        Action<WebApplicationBuilder> toPort444 = builder =>
            builder.Services.AddHttpsRedirection(options => options.HttpsPort = 444);

        await using (var plain = await Site.StartAsync(backEnd, redirecting, toPort444))
        {
            var response = await plain.SendAsync("GET /a?b=c HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
            Assert.Equal((307, "https://www.example.com:444/a?b=c"), (response.Status, response.Header("Location")));
        }

        await using var encrypted = await Site.StartAsync(
            backEnd, redirecting, toPort444, new NginxSettings { IsEncrypted = true });
        using var request = new HttpRequestMessage(HttpMethod.Get, "/a") { Headers = { Host = "www.example.com" } };
        using var answer = await encrypted.Client.SendAsync(request).Within("an encrypted answer");
        Assert.Equal("https", await answer.Content.ReadAsStringAsync().Within("its body"));
        Assert.True(answer.Headers.Contains("Strict-Transport-Security"));
    }

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

    private static string Form(string fields, string cookie) =>
        $"POST / HTTP/1.1\r\nHost: h\r\nCookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
        $"Content-Length: {fields.Length}\r\n\r\n{fields}";
}
