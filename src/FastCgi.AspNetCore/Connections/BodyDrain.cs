using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Waits for the end of an upload whose answer is already out. nginx stops sending such a body, Caddy sends it whole
/// before it reads the answer: so END_REQUEST comes with the end of STDIN, or when nothing has come for a moment, or
/// after RequestBodyDrainTimeout. The one timer that belongs to a request, and only to one of this kind.
/// </summary>
internal sealed class BodyDrain : IDisposable
{
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(150);

    private readonly ServerContext _server;
    private readonly PeerConnection _connection;
    private readonly RequestSlot _slot;
    private readonly long _begunAt;
    private readonly ITimer _timer;
    private long _received;

    public BodyDrain(ServerContext server, PeerConnection connection, RequestSlot slot)
    {
        _server = server;
        _connection = connection;
        _slot = slot;
        _received = slot.Request.Body.Received;
        _begunAt = server.TimeProvider.GetTimestamp();
        _timer = server.TimeProvider.CreateTimer(static state => ((BodyDrain)state!).OnTick(), this, Quiet, Quiet);
    }

    public void Dispose() => _timer.Dispose();

    private void OnTick() => _connection.OnDrainTick(this);

    /// <summary>Under the connection's gate, which also guards what the request has received.</summary>
    public bool IsOver(out RequestSlot slot)
    {
        slot = _slot;
        long received = _slot.Request.Body.Received;
        bool quiet = received == _received;
        _received = received;
        return quiet || _server.TimeProvider.GetElapsedTime(_begunAt) >= _server.Limits.RequestBodyDrainTimeout;
    }
}
