namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>How long a socket without requests but one stands still for a body that its application does not read.</summary>
public sealed class UnreadBodyTests : IDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly ScriptedTransport _transport = new();
    private readonly TaskCompletionSource _readSome = new();
    private readonly TaskCompletionSource _goOn = new();

    public UnreadBodyTests()
    {
        _server.Options.Limits.MaxRequestBufferSize = 10;
        _server.Application = ServeAsync;
    }

    public void Dispose()
    {
        _goOn.SetResult();
        _server.Dispose();
    }

    [Fact]
    public void The_socket_stands_still_for_a_second_and_is_then_read_on()
    {
        _server.Accept(_transport);
        _transport.Bring(Upload());
        Assert.Equal(["pause"], _transport.Calls);
        _server.Pass(1);
        Assert.Equal(["pause"], _transport.Calls);
        _server.Pass(1);
        Assert.Equal(["pause", "resume"], _transport.Calls);

        // Whatever follows goes into the file, and what stands behind it is served.
        _transport.Bring(new RecordBuilder().Stdin(1, new byte[50]).Request(new RequestScript { Id = 3 }));
        Assert.Equal(["pause", "resume", "end reading"], _transport.Calls);
        Assert.Contains("hello", _transport.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_pause_has_a_second_of_its_own()
    {
        _server.Accept(_transport);
        _transport.Bring(Upload());
        _server.Pass(1);
        _readSome.SetResult();
        Assert.Equal(["pause", "resume"], _transport.Calls);
        _transport.Bring(new RecordBuilder().Stdin(1, new byte[50]));
        _server.Pass(1);
        Assert.Equal(["pause", "resume", "pause"], _transport.Calls);
        _server.Pass(1);
        Assert.Equal(["pause", "resume", "pause", "resume"], _transport.Calls);
    }

    [Theory]
    [InlineData("FCGI_MPXS_CONNS", "end reading")]
    [InlineData("FCGI_MAX_CONNS", "pause")]
    public void A_peer_that_asked_about_multiplexing_is_read_on_at_once(string asked, string then)
    {
        _server.Accept(_transport);
        _transport.Bring(new RecordBuilder().GetValues("FCGI_MAX_REQS", asked));
        _transport.Bring(Upload());
        Assert.Equal(["end reading", then], _transport.Calls);
    }

    [Theory]
    [InlineData("the peer closes after this request")]
    [InlineData("nginx, which never multiplexes")]
    [InlineData("one request at a time is allowed")]
    public void A_socket_that_cannot_carry_another_request_stands_still_until_the_body_is_read(string because)
    {
        bool isOneAtATime = because.StartsWith("one", StringComparison.Ordinal);
        bool isNginx = because.StartsWith("nginx", StringComparison.Ordinal);
        _server.Options.Limits.MaxConcurrentRequestsPerConnection = isOneAtATime ? 1 : 100;
        _server.Accept(_transport);
        _transport.Bring(new RecordBuilder().GetValues(isOneAtATime ? "FCGI_MPXS_CONNS" : "FCGI_MAX_REQS"));
        _transport.Calls.Clear();
        _transport.Bring(Upload(keepConnection: isOneAtATime || isNginx, server: isNginx ? "nginx/1.22.1" : "peer"));
        _server.Pass(7);
        Assert.Equal(["pause"], _transport.Calls);
    }

    private static RecordBuilder Upload(bool keepConnection = true, string server = "peer")
    {
        var script = new RequestScript
        {
            Method = "POST",
            ExtraParams = [("CONTENT_LENGTH", "1000"), ("SERVER_SOFTWARE", server)],
        };
        return new RecordBuilder().Begin(keepConnection: keepConnection).Params(1, script.ToParams()).EndParams()
            .Stdin(1, new byte[50]);
    }

    private async Task ServeAsync(HttpContext context)
    {
        if (context.Request.Method == "POST")
        {
            await Task.WhenAny(_readSome.Task, _goOn.Task);
            await context.Request.Body.ReadExactlyAsync(new byte[50]);
            await _goOn.Task;
        }

        await context.Response.WriteAsync("hello");
    }
}
