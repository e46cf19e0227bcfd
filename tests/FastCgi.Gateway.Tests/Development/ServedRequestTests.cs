using System.Net.WebSockets;
using FastCgi.AspNetCore;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>What a browser sends to the gateway reaches the application through the FastCGI server.</summary>
public class ServedRequestTests
{
    [Fact]
    public async Task A_request_goes_through_the_FastCGI_server()
    {
        await using var application = await DevelopmentApplication.StartAsync(static context =>
        {
            var fastCgi = context.Features.GetRequiredFeature<IFastCgiRequestFeature>();
            var request = context.Request;
            fastCgi.TryGetParameter("REQUEST_URI", out var uri);
            return context.Response.WriteAsync(
                $"{fastCgi.Protocol} {request.Method} {request.Scheme}://{request.Host}{request.Path}{request.QueryString} " +
                $"{context.Connection.RemoteIpAddress} {Encoding.UTF8.GetString(uri)}");
        });
        using var client = application.CreateClient();

        var text = await client.GetStringAsync(new Uri("/a%2Fb/c%20d?x=1", UriKind.Relative));

        Assert.Equal(
            $"FastCgi GET http://{client.BaseAddress!.Authority}/a%2Fb/c%20d?x=1 127.0.0.1 /a%2Fb/c%20d?x=1", text);
        Assert.DoesNotContain(application.Logs.Entries, static entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Headers_that_claim_another_client_do_not_reach_the_application()
    {
        await using var application = await DevelopmentApplication.StartAsync(static context =>
            context.Response.WriteAsync(string.Join(',', context.Request.Headers.Keys.Order())));
        using var client = application.CreateClient();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/");
        request.Headers.Add("X-Forwarded-For", "203.0.113.9");
        request.Headers.Add("X_Under", "1");
        request.Headers.Add("X-Kept", "1");

        using var response = await client.SendAsync(request);

        Assert.Equal("Host,X-Kept", await response.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task A_body_over_the_limit_of_the_application_is_a_413()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(static context => context.Request.Body.CopyToAsync(Stream.Null)),
            static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = 1000));
        using var client = application.CreateClient();
        using var content = new ByteArrayContent(new byte[1001]);
        application.Logs.ExpectError(static entry => entry.Exception is BadHttpRequestException);

        using var response = await client.PostAsync("/", content);

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
    }

    [Theory]
    [InlineData(null, "client_max_body_size 30000000;")]
    [InlineData("52428800", "client_max_body_size 52428800;")]
    [InlineData("", "client_max_body_size 0;")]
    public async Task The_first_body_that_nginx_would_refuse_is_one_warning(string? limit, string advice)
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(static context => context.Request.Body.CopyToAsync(Stream.Null)),
            builder => builder.WebHost.ConfigureFastCgi(options => options.Limits.MaxRequestBodySize = limit switch
            {
                null => options.Limits.MaxRequestBodySize,
                "" => null,
                _ => long.Parse(limit, null),
            }));
        using var client = application.CreateClient();
        foreach (var size in (int[])[1024 * 1024, 1024 * 1024 + 1, 1024 * 1024 + 2])
        {
            using var content = new ByteArrayContent(new byte[size]);
            (await client.PostAsync(new Uri("/upload", UriKind.Relative), content)).Dispose();
        }

        var warning = Assert.Single(application.Logs.Entries, static entry => entry.Level == LogLevel.Warning);
        Assert.Equal(GatewayEvents.LargeRequestBody, warning.EventId.Id);
        Assert.Contains("POST /upload", warning.Message, StringComparison.Ordinal);
        Assert.Contains("1048577", warning.Message, StringComparison.Ordinal);
        Assert.Contains(advice, warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_response_head_that_nginx_would_refuse_is_a_warning_and_arrives()
    {
        await using var application = await DevelopmentApplication.StartAsync(static context =>
        {
            context.Response.Headers["X-Long"] = new string('x', 20_000);
            return Task.CompletedTask;
        });
        using var client = application.CreateClient();

        using var response = await client.GetAsync("/");

        Assert.Equal(20_000, response.Headers.GetValues("X-Long").Single().Length);
        var warning = Assert.Single(application.Logs.Entries, static entry => entry.Level == LogLevel.Warning);
        Assert.Contains("fastcgi_buffer_size", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_WebSocket_goes_by_SCGI()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app =>
            {
                app.UseWebSockets();
                app.Run(static async context =>
                {
                    using var socket = await context.WebSockets.AcceptWebSocketAsync();
                    var buffer = new byte[100];
                    var message = await socket.ReceiveAsync(buffer, context.RequestAborted);
                    var protocol = context.Features.GetRequiredFeature<IFastCgiRequestFeature>().Protocol;
                    await socket.SendAsync(
                        Encoding.UTF8.GetBytes($"{protocol} {Encoding.UTF8.GetString(buffer, 0, message.Count)}"),
                        WebSocketMessageType.Text, endOfMessage: true, context.RequestAborted);
                    await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", context.RequestAborted);
                });
            },
            build: null);
        using var client = new ClientWebSocket();
        using var deadline = new CancellationTokenSource(Deadline.Default);
        var address = new UriBuilder(application.AddressOf("http")) { Scheme = "ws" }.Uri;

        await client.ConnectAsync(address, deadline.Token);
        await client.SendAsync("hello"u8.ToArray(), WebSocketMessageType.Text, endOfMessage: true, deadline.Token);
        var buffer = new byte[100];
        var message = await client.ReceiveAsync(buffer, deadline.Token);
        Assert.Equal("Scgi hello", Encoding.UTF8.GetString(buffer, 0, message.Count));
        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", deadline.Token);

        Assert.Single(application.Logs.Entries, static entry => entry.EventId.Id == GatewayEvents.UpgradeByScgi);
    }

    [Fact]
    public async Task Pages_know_that_WebSockets_work()
    {
        await using var application = await DevelopmentApplication.StartAsync(static context =>
            context.Response.WriteAsync($"{context.Features.Get<IHttpUpgradeFeature>()?.IsUpgradableRequest}"));
        using var client = application.CreateClient();

        Assert.Equal("False", await client.GetStringAsync("/"));
    }

    [Fact]
    public async Task Values_beyond_ASCII_of_a_response_header_arrive_as_the_application_encoded_them()
    {
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(static context =>
            {
                context.Response.Headers["X-Name"] = "Zoë";
                return Task.CompletedTask;
            }),
            static builder => builder.WebHost.ConfigureFastCgi(
                static options => options.ResponseHeaderEncodingSelector = static _ => Encoding.UTF8));
        using var client = new HttpClient(new SocketsHttpHandler
        {
            ResponseHeaderEncodingSelector = static (_, _) => Encoding.UTF8,
        })
        {
            Timeout = Deadline.Default,
        };

        using var response = await client.GetAsync(application.AddressOf("http"));

        Assert.Equal("Zoë", response.Headers.GetValues("X-Name").Single());
    }

    [Fact]
    public async Task What_the_application_writes_for_the_error_log_of_the_web_server_is_logged()
    {
        await using var application = await DevelopmentApplication.StartAsync(static context =>
        {
            var write = context.Features.GetRequiredFeature<IFastCgiRequestFeature>()
                .WriteErrorAsync("disk is full"u8.ToArray());
            return write.AsTask();
        });
        using var client = application.CreateClient();

        (await client.GetAsync("/")).Dispose();

        var entry = await application.Logs.WaitForAsync(GatewayEvents.WebServerErrorLog);
        Assert.Contains("disk is full", entry.Message, StringComparison.Ordinal);
    }
}
