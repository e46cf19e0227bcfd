using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What the requests and the connection itself send.</summary>
internal sealed partial class FastCgiConnection
{
    public bool IsOutputFull => _output.IsFull;

    public SendOutcome Send(byte[] buffer, int offset, int count, bool isAnswer)
    {
        SendOutcome outcome = _output.Send(buffer, offset, count, isAnswer);
        LoseLater(outcome);
        return outcome;
    }

    public SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        SendOutcome outcome = _output.TrySendGathered(head, body, tail);
        LoseLater(outcome);
        return outcome;
    }

    public Task WaitForOutputAsync() => _output.WaitForRoomAsync();

    void ITransportHandler.OnSendCompleted(bool succeeded)
    {
        _output.OnSendCompleted(succeeded);
        if (!succeeded)
        {
            Lose(ConnectionEndReason.ConnectionReset);
        }
    }

    private void SendEndRequest(ushort requestId)
    {
        Span<byte> record = stackalloc byte[RecordWriter.EndRequestRecordSize];
        RecordWriter.WriteEndRequest(record, requestId, new EndRequestBody(0, ProtocolStatus.RequestComplete));
        _output.SendCopy(record);
    }

    /// <summary>
    /// Eight zero bytes, a record of version 0: the one end that every web server takes for a broken answer, so that
    /// half a page is neither served nor cached as a whole one.
    /// </summary>
    private void SendInvalidRecord()
    {
        ReadOnlySpan<byte> invalid = [0, 0, 0, 0, 0, 0, 0, 0];
        _output.SendCopy(invalid);
    }

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
