using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What the requests and the connection itself send.</summary>
internal abstract partial class PeerConnection
{
    public bool IsOutputFull => Output.IsFull;

    public SendOutcome Send(byte[] buffer, int offset, int count, bool isAnswer)
    {
        SendOutcome outcome = Output.Send(buffer, offset, count, isAnswer);
        LoseLater(outcome);
        return outcome;
    }

    public SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        SendOutcome outcome = Output.TrySendGathered(head, body, tail);
        LoseLater(outcome);
        return outcome;
    }

    public SendOutcome TrySendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        if (!_transport.SendsFiles || PeerMultiplexes)
        {
            // In company it would have to wait until the others have nothing to send.
            return SendOutcome.Queued;
        }

        SendOutcome outcome = Output.TrySendFile(head, content);
        LoseLater(outcome);
        return outcome;
    }

    public Task WaitForOutputAsync(bool all) => Output.WaitForRoomAsync(all);

    void ITransportHandler.OnSendCompleted(bool succeeded)
    {
        Output.OnSendCompleted(succeeded);
        if (!succeeded)
        {
            Lose(ConnectionEndReason.ConnectionReset);
        }
    }

    /// <summary>Says that a request has ended whose response was ended before. Under the gate.</summary>
    protected abstract void SendEndRequest(ushort requestId);

    /// <summary>Lets the peer see that a response broke off, as far as the protocol can. Under the gate.</summary>
    protected abstract void SendBreak();

    /// <summary>The close of the socket is to look like a failure to the peer. TCP only.</summary>
    protected void CloseByReset() => _transport.ResetOnClose();

    private void LoseLater(SendOutcome outcome)
    {
        if (outcome == SendOutcome.Lost)
        {
            // The caller holds the lock of its response, which comes after the gate.
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection => connection.Lose(ConnectionEndReason.ConnectionReset), this, preferLocal: false);
        }
    }
}
