using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Connections;

/// <summary>Which requests of a connection run too long, and what the log says of them. Under the gate.</summary>
/// <remarks>Made when time passes: an idle connection has none.</remarks>
internal readonly struct SlowRequestWatch(ServerContext server, ISlotHost host)
{
    /// <summary>The request has run for RequestTimeout.</summary>
    public bool IsOver(RequestSlot slot) => HasRunFor(slot, server.Limits.RequestTimeout);

    /// <summary>Names a request in the log, once, that has run for SlowRequestAfter.</summary>
    public void Tell(RequestSlot slot)
    {
        if (!slot.IsToldSlow && HasRunFor(slot, server.Options.SlowRequestAfter))
        {
            slot.IsToldSlow = true;
            server.CountSlowRequest();
            SlowRequestText text = Describe(slot);
            ConnectionLogs.SlowRequest(
                server.SlowLog, host.Id, text.TraceIdentifier, text.Target, text.Seconds, text.State);
        }
    }

    public void TellTimeout(SlowRequestText text, bool hasLeft) => ConnectionLogs.RequestTimedOut(
        server.ConnectionLog,
        host.Id,
        text.TraceIdentifier,
        text.Target,
        text.Seconds,
        text.State,
        hasLeft ? "The response was aborted." : "The answer was 504.");

    public SlowRequestText Describe(RequestSlot slot) => new(
        slot.Request.TraceIdentifier ?? "-",
        slot.DescribeTarget(),
        server.Clock.Since(slot.Request.BegunAt).TotalSeconds,
        slot.DescribeWait());

    private bool HasRunFor(RequestSlot slot, TimeSpan limit) => slot.Stage == RequestStage.Running
        && !slot.Request.IsUpgraded
        && server.Clock.HasPassed(limit, slot.Request.BegunAt);
}
