using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Requests;
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
    protected bool PeerMultiplexes { get; set; }

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

    public bool TryUpgrade(FastCgiRequest request)
    {
        lock (_gate)
        {
            if (request.Stage != RequestStage.Running)
            {
                return false;
            }

            request.TurnToUpgraded();
            _transport.ReadToEnd();
            if (_inputEnded)
            {
                request.Body.End();
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

    protected FastCgiRequest Begin(ushort requestId, BeginRequestBody body)
    {
        FastCgiRequest request = _pool.Rent();
        request.Begin(this, requestId, body);
        Requests.Add(request);
        return request;
    }

    /// <summary>A piece of the body.</summary>
    protected void Receive(FastCgiRequest request, ReadOnlySpan<byte> content)
    {
        request.Body.Write(content, MayPause);
        if (request.Body.WantsPause(MayPause))
        {
            _slowReader = request;
        }
    }

    protected void MakeReady(FastCgiRequest request)
    {
        request.Open();
        if (_ready is null)
        {
            _ready = request;
        }
        else
        {
            InlineRuns.Enqueue(request);
        }
    }

    protected void MakeReadyIfBodyKnown(FastCgiRequest request)
    {
        if (request.Stage == RequestStage.AwaitingBody && request.IsBodyKnown)
        {
            MakeReady(request);
        }
    }
}
