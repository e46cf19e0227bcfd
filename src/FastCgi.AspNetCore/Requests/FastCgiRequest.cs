using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;

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
    private readonly CgiRequest _cgi;
    private readonly HeadWriter<ResponseHead> _writeHead;
    private RequestBodyReader? _reader;
    private bool _countsAsRunning;

    public FastCgiRequest(ServerContext server, ApplicationRunner runner, IRequestSlot slot)
    {
        Slot = slot;
        _server = server;
        _runner = runner;
        _cgi = new CgiRequest(server.Options);
        Body = new RequestBody(this, server.Options.Limits.MaxRequestBufferSize, server.Buffers);
        _output = new ResponseRecords(server.Buffers);
        _writer = new ResponsePipeWriter(this, _output, server.Buffers);
        Features = runner.CreateFeatures();
        _writeHead = WriteHead;
    }

    public RequestFeatures Features { get; }

    public RequestBody Body { get; }

    public IRequestSlot Slot { get; }

    /// <summary>When BEGIN_REQUEST came, in the coarse time of the heartbeat.</summary>
    public long BegunAt { get; private set; }

    public ILogger Log => _server.RequestLog;

    public void Begin()
    {
        _countsAsRunning = _server.CountsRunningRequests;
        BegunAt = _server.Clock.Now;
        Body.Begin(Slot.BodySource);
        _output.Begin(Slot.Output, Slot.RequestId, Slot.HasRecords);
        _scanner = _server.NewScanner();
    }

    /// <summary>Method and path for a log. The params are whole.</summary>
    public string DescribeTarget() => _cgi.DescribeTarget();

    /// <summary>
    /// Forgets everything about the request that ended. False where something of it may still be running (a flush
    /// that the application abandoned, the response side of what was upgraded): such an object must not serve another
    /// request.
    /// </summary>
    public bool Reset()
    {
        bool abandoned = _writer.IsWaiting;
        StopStreams();
        StopRunning();
        _output.Reset();
        ResetParams();
        _reader = null;
        Body.Reset();
        if (abandoned || _upgraded)
        {
            return false;
        }

        _writer.Reset();
        Features.Reset();
        ResetResponse();
        ResetAbort();
        return true;
    }
}
