using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// How a request begins and takes its connection over, whatever protocol brings it, and what that protocol has to tell.
/// What is protected is called under the gate.
/// </summary>
internal abstract partial class PeerConnection
{
    /// <summary>Once seen, it is so for good.</summary>
    protected bool PeerMultiplexes
    {
        get;
        set
        {
            field = value;
            Output.IsShared = value;
        }
    }

    /// <summary>The peer has used this connection.</summary>
    protected bool HasBegunRequest { get; set; }

    /// <summary>For a log.</summary>
    protected abstract string ProtocolName { get; }

    /// <summary>Nothing has come that is not whole: the connection may end here.</summary>
    protected abstract bool IsBetweenRecords { get; }

    /// <summary>
    /// A slow reader stops the socket only where nobody else uses it, nor is about to: the socket does not show who
    /// waits in it behind a body.
    /// </summary>
    protected bool MayPause => !PeerMultiplexes && Requests.Count == 1;

    /// <summary>No request may begin, or none in the company of another: the connection is to end.</summary>
    protected bool TakesNoRequest => IsClosing || (_stopping && Requests.Count > 0);

    public bool TryUpgrade(RequestSlot slot)
    {
        lock (_gate)
        {
            if (slot.Stage != RequestStage.Running)
            {
                return false;
            }

            slot.Request.TurnToUpgraded();
            _transport.ReadToEnd();
            if (_inputEnded)
            {
                slot.Request.Body.End();
            }

            return true;
        }
    }

    /// <summary>What the bytes mean, for the requests that they name.</summary>
    protected abstract ProtocolViolation Route(ReadOnlySpan<byte> received);

    /// <summary>What the first bytes of a connection look like that does not speak our protocol; null for unknown.</summary>
    protected abstract ForeignProtocol? Recognise(ReadOnlySpan<byte> firstBytes);

    /// <summary>Counts one more request; false, and not counted, where the limits allow no more.</summary>
    protected bool TryOpenRequest() =>
        Requests.Count < Server.Limits.MaxConcurrentRequestsPerConnection && Server.TryOpenRequest();

    protected RequestSlot Begin(ushort requestId, BeginRequestBody body)
    {
        RequestSlot slot = _pool.Rent();
        slot.Begin(this, requestId, body);
        Requests.Add(slot);
        return slot;
    }

    /// <summary>A piece of the body.</summary>
    protected void Receive(RequestSlot slot, ReadOnlySpan<byte> content)
    {
        slot.Request.Body.Write(content, MayPause);
        if (slot.Request.Body.WantsPause(MayPause))
        {
            _slowReader = slot;
        }
    }

    protected void MakeReady(RequestSlot slot)
    {
        slot.Open();
        if (_ready is null)
        {
            _ready = slot;
        }
        else
        {
            InlineRuns.Enqueue(slot.Request);
        }
    }

    protected void MakeReadyIfBodyKnown(RequestSlot slot)
    {
        if (slot.Stage == RequestStage.AwaitingBody && slot.Request.IsBodyKnown)
        {
            MakeReady(slot);
        }
    }
}
