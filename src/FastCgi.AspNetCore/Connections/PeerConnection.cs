using System.Net;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One accepted socket: bytes find their request, and requests hand bytes back. The gate guards what both directions
/// share (the table of requests and where each stands); it is never held while an application runs. Lock order: gate,
/// then a response's lock, then the output's. What the bytes mean is the matter of <see cref="FastCgiConnection"/> and
/// <see cref="ScgiConnection"/>.
/// </summary>
/// <remarks>
/// The parts: .Reading (the reading role), .Requests (begun and made ready), .Ending (the end of a request and of the
/// connection), .Stopping (of the server), .Heartbeat, .Sending.
/// </remarks>
internal abstract partial class PeerConnection : ITransportHandler, IBodySource, IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private readonly RequestPool _pool;
    private readonly IConnectionOwner _owner;
    private readonly TransportConnection _transport;
    private readonly long _acceptedAt;

    protected PeerConnection(
        ServerContext server,
        RequestPool pool,
        IConnectionOwner owner,
        TransportConnection transport,
        bool allowsUpgrade)
    {
        Server = server;
        _pool = pool;
        _owner = owner;
        _transport = transport;
        AllowsUpgrade = allowsUpgrade;
        Output = new SendQueue(transport, server, lost: this);
        _acceptedAt = server.TimeProvider.GetTimestamp();
        _idleSince = server.Clock.Now;
    }

    /// <summary>Made when first asked for: most connections are never mentioned in a log.</summary>
    public string Id => field ??= ConnectionIds.Next();

    public EndPoint? LocalEndPoint => _transport.LocalEndPoint;

    public EndPoint? RemoteEndPoint => _transport.RemoteEndPoint;

    public TimeSpan Age => Server.TimeProvider.GetElapsedTime(_acceptedAt);

    /// <summary>A request that asks for it may take the connection over.</summary>
    public bool AllowsUpgrade { get; }

    /// <summary>What is sent is cut into records.</summary>
    public abstract bool HasRecords { get; }

    protected ServerContext Server { get; }

    public SendQueue Output { get; }

    /// <summary>Guarded by the gate.</summary>
    protected RequestTable Requests { get; } = new();

    protected ILogger Log => Server.ConnectionLog;

    public void Start()
    {
        if (Log.IsEnabled(LogLevel.Debug))
        {
            LogStarted(Log, Id);
        }

        _transport.Start(this);
    }
}
