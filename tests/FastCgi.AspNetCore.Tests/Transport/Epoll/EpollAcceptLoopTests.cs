namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>A listening socket on a set that does as the test says, without threads.</summary>
[SupportedOSPlatform("linux")]
public sealed class EpollAcceptLoopTests : IDisposable
{
    private const int NoSpace = 28;

    private readonly LogRecorder _log = new();
    private readonly ScriptedSet _set = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly Socket _listening = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly List<Socket> _peers = [];
    private int _accepted;

    public EpollAcceptLoopTests()
    {
        _listening.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listening.Listen();
    }

    public void Dispose()
    {
        _listening.Dispose();
        _peers.ForEach(static peer => peer.Dispose());
    }

    /// <summary>Otherwise each connection would be accepted and lost, with an entry of its own.</summary>
    [Fact]
    public async Task While_the_system_watches_no_further_socket_the_next_connections_wait()
    {
        var logger = _log.CreateLogger("test");
        _log.ExpectError(LogEvents.RegistrationFailed);
        var loop = new EpollAcceptLoop(
            new EpollTargets(_set), _listening, new AcceptFailures("here", logger, _clock), OnAccepted, logger);
        loop.Start();
        Connect(5);
        _set.Error = NoSpace;

        // The second that comes finds that the first is not watched.
        loop.OnEvents(EpollEvents.Readable);
        loop.OnEvents(EpollEvents.Readable);
        var lost = _accepted;
        Connect(5);
        for (var i = 0; i < 100; i++)
        {
            _clock.Advance(TimeSpan.FromMilliseconds(100));
            loop.OnEvents(EpollEvents.Readable);
        }

        Assert.Equal(lost, _accepted);
        Assert.Single(_log.Entries, static entry => entry.EventId.Id == LogEvents.RegistrationFailed);
        Assert.Single(_log.Entries, static entry => entry.EventId.Id == LogEvents.AcceptPaused);

        _set.Error = 0;
        await Eventually.HoldsAsync(
            () =>
            {
                _clock.Advance(TimeSpan.FromMilliseconds(100));
                loop.OnEvents(EpollEvents.Readable);
                return _accepted == 10;
            },
            () => $"accepted: {_accepted}");
        _log.AssertNoUnexpectedErrors();
    }

    private void OnAccepted(TransportConnection connection)
    {
        _accepted++;
        connection.Start(new RecordingHandler(connection));
    }

    private void Connect(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var peer = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            peer.Connect(_listening.LocalEndPoint!);
            _peers.Add(peer);
        }
    }
}
