using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Security.Claims;
using FastCgi.Client;

namespace FastCgi.Gateway.Tests.Mapping;

/// <summary>What an application adds to forwarding: parameters of its own, a page for failures, its trace.</summary>
public sealed class GatewayFeatureTests : ClientTest
{
    [Fact]
    public async Task A_request_gets_parameters_from_its_user()
    {
        await using var front = await StartAsync(static options =>
            options.TransformParameters = static (context, parameters) =>
            {
                parameters["TENANT"] = context.User.FindFirstValue("tenant");
                parameters["AUTH_TYPE"] = null;
            });
        var answering = front.Client.GetAsync("/a?b");
        var connection = await Application.AcceptAsync();
        var request = await connection.ExpectRequestAsync();
        Assert.Equal("north", request["TENANT"]);
        Assert.Equal("ada", request["REMOTE_USER"]);
        Assert.False(request.Parameters.ContainsKey("AUTH_TYPE"));
        Assert.Equal("/a?b", request["REQUEST_URI"]);
        await connection.RespondAsync("A: b\n\n");
        (await answering.Within("an answer")).Dispose();
    }

    [Theory]
    [InlineData(false, FastCgiError.Overloaded, HttpStatusCode.ServiceUnavailable)]
    [InlineData(true, FastCgiError.ResponseEnded, HttpStatusCode.BadGateway)]
    public async Task A_page_can_say_why_there_was_no_answer(bool closes, FastCgiError error, HttpStatusCode status)
    {
        await using var front = await StartAsync();
        if (closes)
        {
            front.Logs.ExpectError(GatewayEvents.BadGateway);
        }

        var answering = front.Client.GetAsync("/");
        var connection = await Application.AcceptAsync();
        int id = (await connection.ExpectRequestAsync()).Id;
        if (closes)
        {
            connection.Close();
        }
        else
        {
            await connection.SendAsync(new RecordBuilder().End(id, status: 2));
        }

        using var answer = await answering.Within("an answer");
        Assert.Equal(status, answer.StatusCode);
        Assert.StartsWith($"{error}: app ", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    /// <summary>Queries have tokens, and a terminal obeys control characters.</summary>
    [Fact]
    public async Task The_log_has_the_path_alone_harmless_and_cut()
    {
        await using var front = await StartAsync();
        front.Logs.ExpectError(GatewayEvents.BadGateway);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync($"GET /\u001B[2J{new string('a', 5000)}?token=secret HTTP/1.1\r\nHost: a\r\n\r\n");
        var connection = await Application.AcceptAsync();
        int id = (await connection.ExpectRequestAsync()).Id;
        await connection.SendAsync(new RecordBuilder().Record(7, id, "a warning"u8));
        connection.Close();
        foreach (int logged in (int[])[GatewayEvents.StandardError, GatewayEvents.BadGateway])
        {
            string message = (await front.Logs.WaitForAsync(logged)).Message;
            Assert.Contains(@" /\x1B[2Jaaa", message, StringComparison.Ordinal);
            Assert.DoesNotContain("secret", message, StringComparison.Ordinal);
            Assert.InRange(message.Length, 0, 500);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_application_joins_the_trace_where_that_is_asked_for(bool joins)
    {
        const string Theirs = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        await using var front = await StartAsync(options =>
        {
            Action<FastCgiHandlerOptions> connect = options.ConfigureHandler!;
            options.ConfigureHandler = handler =>
            {
                connect(handler);
                handler.ActivityHeadersPropagator = joins ? DistributedContextPropagator.CreateDefaultPropagator() : null;
            };
        });
        using var message = new HttpRequestMessage(HttpMethod.Get, "/");
        message.Headers.Add("traceparent", Theirs);
        message.Headers.Add("X-Own-Trace", "1");
        using var client = new HttpClient(new SocketsHttpHandler { ActivityHeadersPropagator = null })
        {
            BaseAddress = front.Uri,
            Timeout = Deadline.Default,
        };
        var answering = client.SendAsync(message);
        var connection = await Application.AcceptAsync();
        string trace = (await connection.ExpectRequestAsync())["HTTP_TRACEPARENT"];
        await connection.RespondAsync("A: b\n\n");
        (await answering.Within("an answer")).Dispose();
        Assert.Equal(joins, trace != Theirs);
        Assert.StartsWith(Theirs[..36], trace, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Requests_and_connections_are_measured()
    {
        await using var front = await StartAsync(static options => options.MaxConnections = 1);
        using var measured = new ClientMeasurements(front.Services.GetRequiredService<IMeterFactory>());

        // The second one waits for the connection of the first.
        Task<HttpResponseMessage> first = front.Client.GetAsync("/");
        var connection = await Application.AcceptAsync();
        await connection.ExpectRequestAsync();
        Task<HttpResponseMessage> second = front.Client.DeleteAsync("/");
        await Eventually.HoldsAsync(
            () => measured.Of("http.client.active_requests").Count() == 2, () => "One request alone came.");
        await connection.RespondAsync("Status: 404\nContent-Length: 0\n\n");
        (await first.Within("an answer")).Dispose();
        int id = (await connection.ExpectRequestAsync()).Id;
        await connection.SendAsync(new RecordBuilder().End(id, status: 2));
        (await second.Within("an answer")).Dispose();

        Assert.Equal([1d, 1d, -1d, -1d], measured.Of("http.client.active_requests").Select(static m => m.Value));
        Assert.Equal(
            ["GET 404 404", "DELETE  Overloaded"],
            measured.Of("http.client.request.duration").Select(static m =>
                $"{m.Tags["http.request.method"]} {m.Tags.GetValueOrDefault("http.response.status_code")} {m.Tags["error.type"]}"));
        var wait = Assert.Single(measured.Of("http.client.request.time_in_queue"));
        Assert.Equal("DELETE", wait.Tags["http.request.method"]);
        Assert.Equal(
            ["1 active", "-1 active"],
            measured.Of("http.client.open_connections")
                .Select(static m => $"{m.Value} {m.Tags["http.connection.state"]}"));
        Assert.All(measured.All, static m => Assert.Equal("fastcgi", m.Tags["network.protocol.name"]));
        Assert.All(
            measured.Of("http.client.request.duration"),
            static m => Assert.Equal("localhost", m.Tags["server.address"]));
    }

    private Task<GatewayFront> StartAsync(Action<FastCgiGatewayOptions>? configure = null) => GatewayFront.StartAsync(
        web =>
        {
            web.Use(static (context, next) =>
            {
                context.User = new ClaimsPrincipal(new ClaimsIdentity(
                    [new(ClaimTypes.Name, "ada"), new("tenant", "north")], "Basic"));
                return next(context);
            });
            web.UseStatusCodePages(static pages =>
            {
                HttpContext context = pages.HttpContext;
                return context.Features.Get<IFastCgiFailureFeature>() is { } failure
                    ? context.Response.WriteAsync($"{failure.Error}: {failure.Reason}")
                    : Task.CompletedTask;
            });
            web.UseRouting();
            web.MapFastCgi("/{**path}", "app", options =>
            {
                options.ConfigureHandler = handler => handler.ConnectCallback = Application.ConnectAsync;
                configure?.Invoke(options);
            });
            web.UseEndpoints(static _ => { });
        },
        static builder => builder.Services.AddMetrics());
}
