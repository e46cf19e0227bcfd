using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What time does to a connection: once a second, and for the drain of an unread body.</summary>
internal abstract partial class PeerConnection
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

        if (Output.IsStuck)
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

            if (Requests.Count > 0)
            {
                TimeOutParams();
                return;
            }

            if (_stopping)
            {
                CloseIfIdle();
            }

            bool lingered = _discarding && Server.Clock.Since(_lingerSince) > LingerTimeout;
            bool idled = !IsClosing && Server.Limits.KeepAliveTimeout != Timeout.InfiniteTimeSpan
                && Server.Clock.Since(_idleSince) > Server.Limits.KeepAliveTimeout;
            if (HasExpectedInVain())
            {
                // Under the gate: between the judgement and the close no request may begin.
                IsClosing = true;
                CloseIfIdle();
                return;
            }

            if (!lingered && !idled)
            {
                return;
            }

            IsClosing = true;
        }

        Close(_discarding ? ConnectionEndReason.RequestsEnded : ConnectionEndReason.KeepAliveTimeout);
    }

    public void OnDrainTick(BodyDrain drain)
    {
        lock (_gate)
        {
            if (drain.IsOver(out RequestSlot slot) && slot.IsDrainedBy(drain))
            {
                FinishDraining(slot);
            }
        }
    }

    /// <summary>A request whose params do not end in time is answered, and its connection takes no other.</summary>
    private void TimeOutParams()
    {
        foreach (RequestSlot slot in Requests.ToArray())
        {
            if (slot.Stage is RequestStage.Params or RequestStage.AwaitingBody
                && Server.Clock.Since(slot.Request.BegunAt) > Server.Limits.RequestHeadersTimeout)
            {
                IsClosing = true;
                slot.Request.Reject(CgiRejection.ParamsTimeout);
                slot.Open();
                ThreadPool.UnsafeQueueUserWorkItem(slot.Request, preferLocal: false);
            }
        }
    }
}
