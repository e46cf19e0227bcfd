using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// One id's life on a connection: params, body in, response out, end. The connection drives the inward side under its
/// gate; the application drives the outward side through <see cref="Features"/>. Pooled; see <see cref="Reset"/>.
/// </summary>
/// <remarks>
/// The parts: .Params and .ScgiHead (what arrives before the application begins), .Run (the thread it runs on), .Response
/// (start and end), .UploadHold, .Abort, .SendFile, .Handover, .Upgrade, .Control (what the features call).
/// </remarks>
internal sealed partial class FastCgiRequest
{
    private readonly ServerContext _server;
    private readonly ApplicationRunner _runner;
    private readonly ResponseRecords _output;
    private readonly ResponsePipeWriter _writer;
    private readonly RequestBodyReader _reader;
    private readonly CgiRequest _cgi;
    private readonly HeadWriter<ResponseHead> _writeHead;
    private IRequestConnection? _connection;
    private bool _countsAsRunning;

    public FastCgiRequest(ServerContext server, ApplicationRunner runner)
    {
        _server = server;
        _runner = runner;
        _cgi = new CgiRequest(server.CgiOptions);
        Body = new RequestBody(this, server.Options.Limits.MaxRequestBufferSize, server.Buffers);
        _output = new ResponseRecords(server.Buffers);
        _writer = new ResponsePipeWriter(this, _output, server.Buffers);
        _reader = new RequestBodyReader(this, Body);
        Features = runner.CreateFeatures();
        _writeHead = WriteHead;
    }

    public RequestFeatures Features { get; }

    public RequestBody Body { get; }

    public IRequestConnection Connection => _connection!;

    public ushort RequestId { get; private set; }

    public FastCgiRole Role { get; private set; }

    /// <summary>FCGI_KEEP_CONN (FastCGI 1.0, section 5.1).</summary>
    public bool KeepConnection { get; private set; }

    /// <summary>Where the request stands; guarded by the connection's gate.</summary>
    public RequestStage Stage { get; set; }

    /// <summary>From the moment it is ready until the application has left; guarded by the connection's gate.</summary>
    public bool IsInApplication { get; set; }

    /// <summary>Waits for the end of a body that nobody reads; guarded by the connection's gate.</summary>
    public IDisposable? Drain { get; set; }

    /// <summary>
    /// Nothing of the body is still to come, so END_REQUEST may follow the response at once. lighttpd, where it may
    /// upgrade, ends no body by a record.
    /// </summary>
    public bool CanEndNow => Body.HasEnded || Body.DeclaredLength == 0 || Role != FastCgiRole.Responder
        || IsUpgraded || (Connection.AllowsUpgrade && Body.IsWhole);

    /// <summary>When BEGIN_REQUEST came, in the coarse time of the heartbeat.</summary>
    public long BegunAt { get; private set; }

    public ILogger Log => _server.RequestLog;

    public void Begin(IRequestConnection connection, ushort requestId, BeginRequestBody body)
    {
        _connection = connection;
        _countsAsRunning = _server.CountsRunningRequests;
        RequestId = requestId;
        Role = body.Role;
        KeepConnection = body.KeepConnection;
        BegunAt = _server.Clock.Now;
        Stage = RequestStage.Params;
        Body.Begin(connection);
        _output.Begin(connection, requestId);
        _scanner = _server.NewScanner();
    }

    /// <summary>Method and path for a log. Under the connection's gate.</summary>
    public string DescribeTarget() => Stage == RequestStage.Params ? "a request" : _cgi.DescribeTarget();

    /// <summary>Where it stands, for a log. Under the connection's gate.</summary>
    public string DescribeState() => Stage switch
    {
        RequestStage.Params => "its params were still to come",
        RequestStage.AwaitingBody => "its body was still to come",
        RequestStage.Draining => "the rest of its body was still to come",
        _ => HasResponseStarted ? "its response had begun" : "its response had not begun",
    };

    public void EndDrain()
    {
        Drain?.Dispose();
        Drain = null;
    }

    /// <summary>
    /// Forgets everything about the request that ended. False where something of it may still be running (a read or a
    /// flush that the application abandoned, the temporary file of its body, either direction of what was upgraded): such an
    /// object must not serve anybody else.
    /// </summary>
    public bool Reset()
    {
        bool abandoned = _reader.IsReading || _writer.IsWaiting || Body.IsSpillBusy;
        StopStreams();
        StopRunning();
        _output.Reset();
        ResetParams();
        if (abandoned || _upgraded)
        {
            return false;
        }

        Body.Reset();
        _reader.Reset();
        _writer.Reset();
        Features.Reset();
        ResetResponse();
        ResetAbort();
        _connection = null;
        return true;
    }
}
