using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One accepted socket and its requests. <see cref="ReadLoop"/> reads, an <see cref="IWireProtocol"/> interprets the
/// bytes, and <see cref="SendQueue"/> sends. The parts of this class: Routing (bytes to requests), Requests (services
/// for a request, and its end), Ending (from the last request to the closed socket), Time (the heartbeat).
/// </summary>
/// <remarks>
/// The gate guards the state that both directions share: the requests, the life of the connection, its tokens. It is
/// never held while an application runs. Lock order: the gate, the lock of a response, the lock of the send queue.
/// </remarks>
internal sealed partial class PeerConnection : ITransportHandler, IRequestConnection, IReadTarget, IThreadPoolWorkItem
{
    private const string IdDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";

    private static long s_lastId = Random.Shared.NextInt64();

    private readonly Lock _gate = new();
    private readonly ServerContext _server;
    private readonly RequestPool _pool;
    private readonly Action<PeerConnection, ConnectionEndReason> _onClosed;
    private readonly IWireProtocol _wire;
    private readonly ReadLoop _reader;
    private readonly long _acceptedAt;

    // Guarded by the gate.
    private RequestTable _requests;
    private ConnectionLife _life;
    private ConnectionEndReason? _endReason; // Set if the reason is known before the socket is closed.
    private bool _isOrdinary = true; // True while it counts for MaxConcurrentConnections.
    private long _begun; // The number of requests. Also read without the gate.

    public PeerConnection(
        ServerContext server,
        RequestPool pool,
        TransportConnection transport,
        FastCgiListenOptions endpoint,
        Action<PeerConnection, ConnectionEndReason> onClosed)
    {
        _server = server;
        _pool = pool;
        Transport = transport;
        _onClosed = onClosed;
        Endpoint = endpoint;
        _wire = endpoint.Protocol == FastCgiEndpointProtocol.Scgi ? new ScgiWire() : new FastCgiWire(server.Limits);
        _life = new ConnectionLife(server);
        Output = new SendQueue(transport, server, lost: this);
        _reader = new ReadLoop(transport, server, Output, this);
        _acceptedAt = server.TimeProvider.GetTimestamp();
    }

    /// <summary>
    /// Unique in the process; ids do not repeat after a restart. Created when first asked for, because most connections
    /// never appear in a log.
    /// </summary>
    public string Id => field ??= NextId();

    public TransportConnection Transport { get; }

    /// <summary>The measurements of the connection, or null if nothing measures it.</summary>
    public ConnectionMetricsContext? Metrics { get; init; }

    public TimeSpan Age => _server.TimeProvider.GetElapsedTime(_acceptedAt);

    public FastCgiListenOptions Endpoint { get; }

    public bool HasRecords => _wire.HasRecords;

    public SendQueue Output { get; }

    ISendQueue IRequestConnection.Output => Output;

    EndPoint? IRequestConnection.LocalEndPoint => Transport.LocalEndPoint;

    EndPoint? IRequestConnection.RemoteEndPoint => Transport.RemoteEndPoint;

    Socket IRequestConnection.Socket => Transport.Socket;

    ICollection<KeyValuePair<string, object?>>? IRequestConnection.MetricsTags => Metrics?.DurationTags;

    private ILogger Log => _server.ConnectionLog;

    /// <summary>Announces the connection to loggers and event listeners. It is not served yet.</summary>
    public void Announce()
    {
        if (Log.IsEnabled(LogLevel.Debug))
        {
            ConnectionLogs.ConnectionStart(Log, Id);
        }

        FastCgiEventSource events = FastCgiEventSource.Log;
        events.ConnectionAccepted();
        if (events.IsEnabled())
        {
            events.ConnectionStart(
                Id, Transport.LocalEndPoint?.ToString() ?? "", Transport.RemoteEndPoint?.ToString() ?? "");
        }
    }

    public void Start() => Transport.Start(this);

    void ITransportHandler.OnReadable() => _reader.Run();

    void ITransportHandler.OnPeerGone() => Lose(ConnectionEndReason.ConnectionReset);

    void ITransportHandler.OnSendCompleted(bool succeeded)
    {
        if (!succeeded)
        {
            // First: the queue drops its bytes, and a connection without unsent bytes ends in order.
            LoseOutput();
        }

        Output.OnSendCompleted(succeeded);
    }

    /// <summary>Handles a send that found the socket lost.</summary>
    void IThreadPoolWorkItem.Execute() => Run(static self => self.LoseOutput());

    private static string NextId() => string.Create(13, Interlocked.Increment(ref s_lastId), static (span, id) =>
    {
        for (int i = span.Length - 1; i >= 0; i--, id >>>= 5)
        {
            span[i] = IdDigits[(int)(id & 31)];
        }
    });

    /// <summary>
    /// Takes or releases the place of this connection in MaxConcurrentConnections. An upgraded connection has no place.
    /// It takes one again if it is kept after the upgraded request. Under the gate.
    /// </summary>
    private void CountAsOrdinary(bool isOrdinary)
    {
        if (_isOrdinary != isOrdinary)
        {
            _isOrdinary = isOrdinary;
            _server.CountConnection(isOrdinary);
        }
    }

    private void Queue(Action<PeerConnection> work) => EndingThreads.Queue(
        static state => state.Connection.Run(state.Work), (Connection: this, Work: work));

    /// <summary>Runs work on timers and other threads, where an unhandled exception would end the process.</summary>
    private void Run(Action<PeerConnection> work)
    {
        try
        {
            work(this);
        }
        catch (Exception exception)
        {
            ConnectionLogs.ConnectionFailed(Log, exception, Id);
        }
    }

    /// <summary>
    /// The requests of one connection by id, an arbitrary 16-bit number. One field is enough for web servers that do
    /// not multiplex; the dictionary is created only for those that do. Guarded by the connection's gate.
    /// </summary>
    private struct RequestTable
    {
        /// <summary>Web servers that do not multiplex always use this id.</summary>
        public const ushort OnlyId = 1;

        private FastCgiRequest? _single;
        private Dictionary<ushort, FastCgiRequest>? _others;

        /// <summary>True once the peer has mixed requests, or has asked whether it may. Never reset.</summary>
        public bool IsShared { get; set; }

        /// <summary>
        /// True if a slow reader may pause the socket: no other request uses the socket or is about to. Data that waits
        /// in the socket after a body is not visible.
        /// </summary>
        public readonly bool MayPause => !IsShared && Count == 1;

        public readonly int Count => (_single is null ? 0 : 1) + (_others?.Count ?? 0);

        /// <summary>Aborted requests whose application still runs: their ids are free, but they still count.</summary>
        public int Abandoned { get; set; }

        public readonly bool TryGet(ushort id, [NotNullWhen(true)] out FastCgiRequest? request)
        {
            request = _single;
            if (request is not null && request.RequestId == id)
            {
                return true;
            }

            request = null;
            return _others is not null && _others.TryGetValue(id, out request);
        }

        public void Add(FastCgiRequest request)
        {
            IsShared |= Count > 0 || request.RequestId != OnlyId;
            if (_single is null)
            {
                _single = request;
            }
            else
            {
                (_others ??= []).Add(request.RequestId, request);
            }
        }

        /// <summary>False if the id is free or already serves another request.</summary>
        public bool Remove(FastCgiRequest request)
        {
            if (_single == request)
            {
                _single = null;
                return true;
            }

            return _others is not null
                && _others.TryGetValue(request.RequestId, out FastCgiRequest? found)
                && found == request
                && _others.Remove(request.RequestId);
        }

        public readonly bool Contains(FastCgiRequest request) =>
            TryGet(request.RequestId, out FastCgiRequest? found) && found == request;

        public readonly FastCgiRequest[] ToArray()
        {
            var all = new List<FastCgiRequest>(Count);
            if (_single is not null)
            {
                all.Add(_single);
            }

            if (_others is not null)
            {
                all.AddRange(_others.Values);
            }

            return [.. all];
        }
    }
}
