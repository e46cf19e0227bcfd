using System.Net;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One accepted socket: bytes become records, records find their request, and requests hand records back. The gate
/// guards what both directions share (the table of requests and where each stands); it is never held while an
/// application runs. Lock order: gate, then a response's lock, then the output's.
/// </summary>
/// <remarks>
/// The parts: .Reading (the reading role), .Routing (what each record means), .Management (records of id 0),
/// .Ending (the end of a request and of the connection), .Stopping (of the server), .Heartbeat, .Sending.
/// </remarks>
internal sealed partial class FastCgiConnection : ITransportHandler, IRequestConnection
{
    private readonly Lock _gate = new();
    private readonly ServerContext _server;
    private readonly RequestPool _pool;
    private readonly IConnectionOwner _owner;
    private readonly TransportConnection _transport;
    private readonly ConnectionOutput _output;
    private readonly RequestTable _requests = new();
    private readonly long _acceptedAt;

    public FastCgiConnection(
        ServerContext server, RequestPool pool, IConnectionOwner owner, TransportConnection transport)
    {
        _server = server;
        _pool = pool;
        _owner = owner;
        _transport = transport;
        _output = new ConnectionOutput(transport, server);
        _acceptedAt = server.TimeProvider.GetTimestamp();
        _idleSince = server.Clock.Now;
    }

    /// <summary>Made when first asked for: most connections are never mentioned in a log.</summary>
    public string Id => field ??= ConnectionIds.Next();

    public EndPoint? LocalEndPoint => _transport.LocalEndPoint;

    public EndPoint? RemoteEndPoint => _transport.RemoteEndPoint;

    public TimeSpan Age => _server.TimeProvider.GetElapsedTime(_acceptedAt);

    private ILogger Log => _server.ConnectionLog;

    public void Start()
    {
        if (Log.IsEnabled(LogLevel.Debug))
        {
            LogStarted(Log, Id);
        }

        _transport.Start(this);
    }
}
