using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What time does to a connection: once a second, and for the drain of an unread body.</summary>
internal sealed partial class FastCgiConnection
{
    /// <summary>How long a peer may take to close after us before the socket is closed under it.</summary>
    private static readonly TimeSpan LingerTimeout = TimeSpan.FromSeconds(2);

    private long _idleSince;
    private long _lingerSince;
    private volatile bool _paused;

    public void OnHeartbeat()
    {
        if ((_paused || _inputEnded) && _transport.IsPeerGone())
        {
            Lose(ConnectionEndReason.ConnectionReset);
            return;
        }

        if (_output.IsStuck)
        {
            LogSendTimedOut(Log, Id);
            Lose(ConnectionEndReason.SendTimeout);
            return;
        }

        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            if (_requests.Count > 0)
            {
                TimeOutParams();
                return;
            }

            bool lingered = _discarding && _server.Clock.Since(_lingerSince) > LingerTimeout;
            bool idled = !_closing && _server.Limits.KeepAliveTimeout != Timeout.InfiniteTimeSpan
                && _server.Clock.Since(_idleSince) > _server.Limits.KeepAliveTimeout;
            if (HasExpectedInVain())
            {
                // Under the gate: between the judgement and the close no request may begin.
                _closing = true;
                CloseIfIdle();
                return;
            }

            if (!lingered && !idled)
            {
                return;
            }
        }

        Close(_discarding ? ConnectionEndReason.RequestsEnded : ConnectionEndReason.KeepAliveTimeout);
    }

    public void OnDrainTick(BodyDrain drain)
    {
        lock (_gate)
        {
            if (drain.IsOver(out FastCgiRequest request) && request.Drain == drain)
            {
                FinishDraining(request);
            }
        }
    }

    /// <summary>A request whose params do not end in time is answered, and its connection takes no other.</summary>
    private void TimeOutParams()
    {
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            if (request.Stage is RequestStage.Params or RequestStage.AwaitingBody
                && _server.Clock.Since(request.BegunAt) > _server.Limits.RequestHeadersTimeout)
            {
                _closing = true;
                request.Reject(CgiRejection.ParamsTimeout);
                request.Open();
                ThreadPool.UnsafeQueueUserWorkItem(request, preferLocal: false);
            }
        }
    }
}
