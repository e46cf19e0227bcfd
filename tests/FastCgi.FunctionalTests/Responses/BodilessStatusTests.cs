using System.Buffers;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>Statuses that have no body, and what an application may try with them.</summary>
public sealed class BodilessStatusTests : FunctionalTest
{
    private const int ApplicationError = 13;

    public static TheoryData<ServerTransport, int, string> WithoutLength()
    {
        var rows = new TheoryData<ServerTransport, int, string>();
        foreach (var transport in new Transports())
        {
            foreach (var status in (int[])[100, 101, 102, 103, 204])
            {
                foreach (var method in (string[])["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
                {
                    rows.Add(transport, status, method);
                }
            }
        }

        return rows;
    }

    public static TheoryData<ServerTransport, int> Informational()
    {
        var rows = new TheoryData<ServerTransport, int>();
        foreach (var transport in new Transports())
        {
            foreach (var status in (int[])[100, 101, 102, 103, 199])
            {
                rows.Add(transport, status);
            }
        }

        return rows;
    }

    public static TheoryData<ServerTransport, int> WithoutBody()
    {
        var rows = new TheoryData<ServerTransport, int>();
        foreach (var transport in new Transports())
        {
            foreach (var status in (int[])[204, 205, 304])
            {
                rows.Add(transport, status);
            }
        }

        return rows;
    }

    [Theory, MemberData(nameof(WithoutLength))]
    public async Task A_length_throws_at_the_start(ServerTransport transport, int status, string method)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentLength = 1;
            await context.Response.StartAsync();
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && entry.Exception is InvalidOperationException);

        Assert.Equal(500, (await peer.RoundTripAsync(Get() with { Method = method })).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_length_of_zero_is_removed(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.StatusCode = 204;
            context.Response.ContentLength = 0;
            await context.Response.StartAsync();
        });
        foreach (var method in (string[])["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
        {
            var response = await peer.RoundTripAsync(Get() with { Method = method });

            Assert.Equal((204, null), (response.StatusCode, response.Header("Content-Length")));
        }
    }

    /// <summary>Web servers pass it on as the only response, and the client waits for the final one for ever.</summary>
    [Theory, MemberData(nameof(Informational))]
    public async Task An_informational_status_is_no_response(ServerTransport transport, int status)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.StatusCode = status;
            if (context.Request.Path == "/start")
            {
                await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
                Assert.False(context.Response.HasStarted);
                context.Response.StatusCode = 404;
            }
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError
            && entry.Exception is InvalidOperationException exception
            && exception.Message.Contains($"{status}", StringComparison.Ordinal));

        Assert.Equal(404, (await peer.RoundTripAsync(Get("/start"))).StatusCode);
        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_length_on_205_throws_and_zero_is_kept(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.StatusCode = 205;
            context.Response.ContentLength = 1;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
            Assert.False(context.Response.HasStarted);
            context.Response.ContentLength = 0;
        });

        Assert.Equal((205, "0"), (response.StatusCode, response.Header("Content-Length")));
    }

    [Theory, MemberData(nameof(WithoutBody))]
    public async Task What_is_written_by_the_pipe_goes_nowhere(ServerTransport transport, int status)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.StatusCode = status;
            context.Response.BodyWriter.Write("not wanted"u8);
            return Task.CompletedTask;
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }

    [Theory, MemberData(nameof(WithoutBody))]
    public async Task What_is_flushed_by_the_pipe_goes_nowhere(ServerTransport transport, int status)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.StatusCode = status;
            context.Response.BodyWriter.Write("not wanted"u8);
            await context.Response.BodyWriter.FlushAsync();
            Assert.True(context.Response.HasStarted);
            Assert.Throws<InvalidOperationException>(() => context.Response.BodyWriter.Write("not wanted"u8));
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }

    [Theory, MemberData(nameof(WithoutBody))]
    public async Task JSON_goes_nowhere(ServerTransport transport, int status)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.StatusCode = status;
            return context.Response.WriteAsJsonAsync(new int[100]);
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }
}
