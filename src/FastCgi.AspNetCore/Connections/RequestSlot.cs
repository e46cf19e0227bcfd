using System.Diagnostics;
using System.Net;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One id's place on a connection: the id, what BEGIN_REQUEST said, and where the request stands. Pooled together with
/// its request, so that a request costs no allocation. The connection's gate guards everything that changes.
/// </summary>
internal sealed class RequestSlot : IRequestSlot
{
    // Set by the connection when the request begins, cleared when it returns to the pool.
    private PeerConnection? _connection;

    // Guarded by the gate. Waits for the end of a body that the application does not read.
    private IDisposable? _drain;

    public RequestSlot(ServerContext server, ApplicationRunner runner) =>
        Request = new FastCgiRequest(server, runner, this);

    public FastCgiRequest Request { get; }

    public ushort RequestId { get; private set; }

    public FastCgiRole Role { get; private set; }

    /// <inheritdoc/>
    public bool KeepConnection { get; private set; }

    /// <summary>Where the request stands. Guarded by the gate.</summary>
    public RequestStage Stage { get; private set; }

    /// <summary>From the moment the request is ready until its application has left. Guarded by the gate.</summary>
    public bool IsInApplication { get; private set; }

    /// <summary>What <see cref="BeginEnd"/> said. Guarded by the gate.</summary>
    public ResponseEnd End { get; set; }

    /// <summary>
    /// Nothing of the body is still to come, so END_REQUEST may follow the response at once. lighttpd ends no body by a
    /// record where it may upgrade.
    /// </summary>
    public bool CanEndNow => Request.Body.HasEnded || Request.Body.DeclaredLength == 0 || Role != FastCgiRole.Responder
        || Request.IsUpgraded || (AllowsUpgrade && Request.Body.IsWhole);

    public string ConnectionId => Connection.Id;

    public EndPoint? LocalEndPoint => Connection.LocalEndPoint;

    public EndPoint? RemoteEndPoint => Connection.RemoteEndPoint;

    public CancellationToken Closed => Connection.Closed;

    public CancellationToken CloseRequested => Connection.CloseRequested;

    public bool HasRecords => Connection.HasRecords;

    public bool AllowsUpgrade => Connection.AllowsUpgrade;

    public ISendQueue Output => Connection.Output;

    public IBodySource BodySource => Connection;

    private PeerConnection Connection => _connection!;

    public void Begin(PeerConnection connection, ushort requestId, BeginRequestBody body)
    {
        _connection = connection;
        RequestId = requestId;
        Role = body.Role;
        KeepConnection = body.KeepConnection;
        Stage = RequestStage.Params;
        IsInApplication = false;
        Request.Begin();
    }

    /// <summary>The only place where the stage changes: it never goes back.</summary>
    public void Advance(RequestStage stage)
    {
        Debug.Assert(stage > Stage, "A request does not go back.");
        Stage = stage;
    }

    /// <summary>The request is ready for its application.</summary>
    public void Open()
    {
        Advance(RequestStage.Running);
        IsInApplication = true;
        Request.Open();
    }

    /// <summary>END_REQUEST waits until <paramref name="drain"/> is over.</summary>
    public void BeginDrain(IDisposable drain) => _drain = drain;

    public bool IsDrainedBy(IDisposable drain) => _drain == drain;

    /// <summary>The id is free.</summary>
    public void Forget()
    {
        Advance(RequestStage.Ended);
        _drain?.Dispose();
        _drain = null;
    }

    /// <summary>The application has left. True: the wire is done with the request too.</summary>
    public bool LeaveApplication()
    {
        IsInApplication = false;
        return Stage == RequestStage.Ended;
    }

    /// <summary>Forgets the request that ended. False: something of it may still run, so nobody else may have it.</summary>
    public bool TryReset()
    {
        if (!Request.Reset())
        {
            return false;
        }

        _connection = null;
        return true;
    }

    /// <summary>Method and path for a log. Under the gate.</summary>
    public string DescribeTarget() => Stage == RequestStage.Params ? "a request" : Request.DescribeTarget();

    /// <summary>Where the request stands, for a log. Under the gate.</summary>
    public string DescribeState() => Stage switch
    {
        RequestStage.Params => "its params were still to come",
        RequestStage.AwaitingBody => "its body was still to come",
        RequestStage.Draining => "the rest of its body was still to come",
        _ => Request.HasResponseStarted ? "its response had begun" : "its response had not begun",
    };

    public bool TryUpgrade() => Connection.TryUpgrade(this);

    public void RequestClose() => Connection.RequestClose();

    public void AbortConnection(string reason) => Connection.Abort(reason);

    public ResponseEnd BeginEnd() => Connection.BeginEnd(this);

    public void FinishEnd() => Connection.FinishEnd(this);

    public void Tear() => Connection.Tear(this);

    public void OnApplicationDone() => Connection.OnApplicationDone(this);

    public bool TryContinueAfterRead(Action<object?> action, object? state) =>
        _connection?.TryContinueAfterRead(this, action, state) == true;
}
