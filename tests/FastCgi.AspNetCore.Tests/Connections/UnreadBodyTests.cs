namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>How long a socket without requests but one stands still for a body that its application does not read.</summary>
public sealed class UnreadBodyTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly FastCgiServerOptions _options = new();
    private readonly ScriptedTransport _transport = new();
    private readonly TaskCompletionSource _readSome = new();
    private readonly TaskCompletionSource _goOn = new();
    private ConnectionSet? _connections;

    public UnreadBodyTests() => _options.Limits.MaxRequestBufferSize = 10;

    public void Dispose()
    {
        _goOn.SetResult();
        _connections?.Dispose();
    }

    [Fact]
    public void The_socket_stands_still_for_a_second_and_is_then_read_on()
    {
        Connect();
        Receive(Upload());
        Assert.Equal(["pause"], _transport.Calls);
        Pass(seconds: 1);
        Assert.Equal(["pause"], _transport.Calls);
        Pass(seconds: 1);
        Assert.Equal(["pause", "resume"], _transport.Calls);

        // Whatever follows goes into the file, and what stands behind it is served.
        Receive(new RecordBuilder().Stdin(1, new byte[50]).Request(new RequestScript { Id = 3 }));
        Assert.Equal(["pause", "resume", "end reading"], _transport.Calls);
        Assert.Contains("hello", System.Text.Encoding.ASCII.GetString([.. _transport.Sent]), StringComparison.Ordinal);
    }

    [Fact]
    public void Each_pause_has_a_second_of_its_own()
    {
        Connect();
        Receive(Upload());
        Pass(seconds: 1);
        _readSome.SetResult();
        Assert.Equal(["pause", "resume"], _transport.Calls);
        Receive(new RecordBuilder().Stdin(1, new byte[50]));
        Pass(seconds: 1);
        Assert.Equal(["pause", "resume", "pause"], _transport.Calls);
        Pass(seconds: 1);
        Assert.Equal(["pause", "resume", "pause", "resume"], _transport.Calls);
    }

    [Fact]
    public void A_peer_that_asked_about_multiplexing_is_read_on_at_once()
    {
        Connect();
        Receive(new RecordBuilder().GetValues("FCGI_MAX_REQS", "FCGI_MPXS_CONNS"));
        Receive(Upload());
        Assert.Equal(["end reading", "end reading"], _transport.Calls);
    }

    [Fact]
    public void A_peer_that_asked_for_other_values_is_not()
    {
        Connect();
        Receive(new RecordBuilder().GetValues("FCGI_MAX_CONNS", "FCGI_MAX_REQS"));
        Receive(Upload());
        Assert.Equal(["end reading", "pause"], _transport.Calls);
    }

    [Theory]
    [InlineData("the peer closes after this request")]
    [InlineData("nginx, which never multiplexes")]
    [InlineData("one request at a time is allowed")]
    public void A_socket_that_cannot_carry_another_request_stands_still_until_the_body_is_read(string because)
    {
        bool isOneAtATime = because.StartsWith("one", StringComparison.Ordinal);
        bool isNginx = because.StartsWith("nginx", StringComparison.Ordinal);
        _options.Limits.MaxConcurrentRequestsPerConnection = isOneAtATime ? 1 : 100;
        Connect();
        Receive(new RecordBuilder().GetValues(isOneAtATime ? "FCGI_MPXS_CONNS" : "FCGI_MAX_REQS"));
        _transport.Calls.Clear();
        Receive(Upload(keepConnection: isOneAtATime || isNginx, server: isNginx ? "nginx/1.22.1" : "peer"));
        Pass(seconds: 7);
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

    private void Pass(int seconds) => _time.Advance(TimeSpan.FromSeconds(seconds));

    private void Receive(RecordBuilder records) => _transport.Bring(records);

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

    private void Connect()
    {
        var server = new ServerContext(_options, NullLoggerFactory.Instance, _time);
        _connections = _transport.Connect(server, new DelegateApplication(ServeAsync));
    }
}
