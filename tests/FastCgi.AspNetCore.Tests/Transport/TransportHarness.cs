using FastCgi.AspNetCore.Transport.Contexts;
using FastCgi.AspNetCore.Transport.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Every test of the seam runs on all of its sides.</summary>
public enum TransportKind
{
    Sockets,
    Epoll,

    /// <summary>A transport that an application brings, here the one of Kestrel's sockets.</summary>
    Contexts,
}

/// <summary>What a test connects over.</summary>
public enum SocketKind
{
    Tcp,
    Unix,
}

/// <summary>Every side of the seam.</summary>
public sealed class Transports() : TheoryData<TransportKind>(All)
{
    public static TransportKind[] All { get; } =
        [.. Enum.GetValues<TransportKind>().Where(static kind => kind != TransportKind.Epoll || OperatingSystem.IsLinux())];
}

/// <summary>The transports of the server itself.</summary>
public sealed class OwnTransports() : TheoryData<TransportKind>(Transports.All.Except([TransportKind.Contexts]));

public sealed class TransportsAndSockets()
    : MatrixTheoryData<TransportKind, SocketKind>(Transports.All, Enum.GetValues<SocketKind>());

/// <summary>One transport, sockets connected to it, and no error at the end that the test did not announce.</summary>
internal sealed class TransportHarness : IAsyncDisposable
{
    private static readonly SocketConnectionContextFactory s_contexts =
        new(new SocketConnectionFactoryOptions(), NullLogger.Instance);

    private readonly List<Socket> _peers = [];
    private readonly List<TransportConnection> _connections = [];
    private readonly ILogger _logger;
    private readonly TransportKind _kind;

    /// <param name="kind">Which side of the seam.</param>
    /// <param name="workers">The threads of the epoll side.</param>
    /// <param name="logger">In place of the recorder's.</param>
    public TransportHarness(TransportKind kind, int? workers = 2, ILogger? logger = null)
    {
        _kind = kind;
        _logger = logger ?? Log.CreateLogger("transport");
        Transport = kind == TransportKind.Epoll && OperatingSystem.IsLinux()
            ? new EpollTransport(_logger, workers)
            : new SocketsTransport(_logger);
    }

    public LogRecorder Log { get; } = new();

    public ITransport Transport { get; }

    /// <summary>A connection that was not started, and the peer's end of it.</summary>
    public (TransportConnection Connection, Socket Peer) Connect(SocketKind kind)
    {
        var (peer, connection) = SocketPair.Connect(kind, Accept);
        _peers.Add(peer);
        _connections.Add(connection);
        return (connection, peer);
    }

    /// <summary>A connection that reports to a handler made for it.</summary>
    public (T Handler, Socket Peer) Start<T>(SocketKind kind, Func<TransportConnection, T> make)
        where T : ITransportHandler
    {
        var (connection, peer) = Connect(kind);
        var handler = make(connection);
        Start(connection, handler);
        return (handler, peer);
    }

    /// <summary>Starts a connection that the thread reads that gets its first event.</summary>
    public static void Start(TransportConnection connection, ITransportHandler handler)
    {
        connection.Start(handler);
        if (OperatingSystem.IsLinux() && connection is EpollConnection epoll)
        {
            epoll.Watch();
        }
    }

    /// <summary>One connection from the backlog of <paramref name="listener"/>, not in the set yet.</summary>
    [SupportedOSPlatform("linux")]
    public static EpollConnection Accept(EpollTransport transport, Socket listener, ILogger logger)
    {
        var socket = SocketDescriptor.TryAccept(listener.SafeHandle, out var error);
        Assert.Equal(0, error);
        return new EpollConnection(socket!, listener.LocalEndPoint!, transport.Targets, logger);
    }

    public async ValueTask DisposeAsync()
    {
        _connections.ForEach(connection => connection.Close());
        _peers.ForEach(peer => peer.Dispose());
        Transport.Dispose();
        if (OperatingSystem.IsLinux() && Transport is EpollTransport epoll)
        {
            await epoll.Ended.Within("the end of the transport's threads");
        }

        Log.AssertNoUnexpectedErrors();
    }

    private TransportConnection Accept(Socket listener) => _kind == TransportKind.Contexts
        ? new ContextConnection(s_contexts.Create(listener.Accept()), _logger)
        : OperatingSystem.IsLinux() && Transport is EpollTransport epoll ? Accept(epoll, listener, _logger)
        : new SocketsConnection(listener.Accept(), listener.LocalEndPoint!, _logger);
}
