using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// Waits for the end of an upload whose answer is already out. nginx stops sending such a body, Caddy sends it whole
/// before it reads the answer. So END_REQUEST comes with the end of STDIN, or when nothing has come for a moment, or
/// after RequestBodyDrainTimeout. An application that answered first and reads now gets its body: that limit begins
/// again with each byte, and MinRequestBodyDataRate counts as before. The one timer that belongs to a request, and only
/// to one of this kind.
/// </summary>
internal sealed class BodyDrain : IDisposable
{
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(150);

    private readonly ServerContext _server;
    private readonly FastCgiRequest _request;
    private readonly Action<FastCgiRequest, BodyDrain> _onTick;
    private readonly ITimer _timer;

    // Guarded by the gate, as what the request has received.
    private long _received;
    private long _limitBeginsAt;

    public BodyDrain(ServerContext server, FastCgiRequest request, Action<FastCgiRequest, BodyDrain> onTick)
    {
        _server = server;
        _request = request;
        _onTick = onTick;
        _received = request.Body.Received;
        _limitBeginsAt = server.TimeProvider.GetTimestamp();
        _timer = server.TimeProvider.CreateTimer(static state => ((BodyDrain)state!).OnTick(), this, Quiet, Quiet);
    }

    /// <summary>
    /// Nothing has come since the last call, and no read waits for it; or it takes too long. Bytes that have
    /// <paramref name="arrived"/> count, though they are not routed yet. Under the gate.
    /// </summary>
    public bool IsOver(bool arrived)
    {
        long received = _request.Body.Received;
        bool quiet = received == _received && !arrived;
        if (_request.Body.IsAwaitedByReader)
        {
            quiet = false;
            _limitBeginsAt = received == _received ? _limitBeginsAt : _server.TimeProvider.GetTimestamp();
        }

        _received = received;
        TimeSpan limit = _server.Limits.RequestBodyDrainTimeout;
        return quiet
            || (limit != Timeout.InfiniteTimeSpan && _server.TimeProvider.GetElapsedTime(_limitBeginsAt) >= limit);
    }

    public void Dispose() => _timer.Dispose();

    private void OnTick() => _onTick(_request, this);
}
