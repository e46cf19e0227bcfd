using FastCgi.AspNetCore.Files;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Large writes leave from the application's own memory, and files from the system's, with the record headers around them.
/// </summary>
internal sealed partial class ResponseRecords
{
    /// <summary>
    /// Below, one copy costs less than a send of its own: head, body and the end of the response share one.
    /// </summary>
    private const int SmallestGathered = 32 * 1024;

    /// <summary>What a write of 64 KiB leaves over beside the largest record goes along as a second, small record.</summary>
    private const int LargestTail = 128;

    /// <summary>How much of <paramref name="data"/> was sent so; 0: it has to be copied, as what is small or must wait.</summary>
    private int TryGather(ReadOnlySpan<byte> data)
    {
        if (data.Length < SmallestGathered || _headHold is not null)
        {
            return 0;
        }

        int body = RecordWriter.ContentFitting(data.Length);
        int rest = data.Length - body;
        ReadOnlySpan<byte> head = EndBlockWithHeaderFor(body);
        Span<byte> tail = stackalloc byte[FastCgiConstants.HeaderSize + LargestTail];
        tail = rest is > 0 and <= LargestTail ? WriteTail(tail, data[body..]) : [];

        SendOutcome outcome = _output!.TrySendGathered(head, data[..body], tail);
        if (!TryRestart(outcome))
        {
            return 0;
        }

        return tail.IsEmpty ? body : data.Length;
    }

    /// <summary>
    /// Sends bytes of a file behind what was written. Queued: they have to be copied, since something else must leave first.
    /// </summary>
    public SendOutcome TrySendFile(FilePart content)
    {
        lock (_lock)
        {
            _leased = false;
            Settle();
            if (_detached || !_headWritten || _headHold is not null)
            {
                return SendOutcome.Queued;
            }

            SendOutcome outcome = _output!.TrySendFile(EndBlockWithHeaderFor(content.Count), content);
            TryRestart(outcome);
            return outcome;
        }
    }

    /// <summary>The record that is being written, if there is any, and the header of the next one.</summary>
    private ReadOnlySpan<byte> EndBlockWithHeaderFor(int content)
    {
        _block.Rent(0);
        int start = _block.FirstByte;
        int end = _block.Finish(_requestId);
        end += WriteHeader(_block.Buffer.AsSpan(end), content);
        return _block.Buffer.AsSpan(start, end - start);
    }

    /// <summary>The block has left, or its socket is lost. False: neither, and it stays.</summary>
    private bool TryRestart(SendOutcome outcome)
    {
        if (outcome == SendOutcome.Queued)
        {
            return false;
        }

        _heldLength = 0;
        Volatile.Write(ref _headOut, true);
        _detached |= outcome == SendOutcome.Lost;
        _block.Restart();
        return true;
    }

    private Span<byte> WriteTail(Span<byte> tail, ReadOnlySpan<byte> content)
    {
        int header = WriteHeader(tail, content.Length);
        content.CopyTo(tail[header..]);
        return tail[..(header + content.Length)];
    }

    /// <summary>Its length, which is 0 where there are no records.</summary>
    private int WriteHeader(Span<byte> destination, int content)
    {
        if (!_block.HasHeader)
        {
            return 0;
        }

        RecordWriter.WriteHeader(destination, RecordType.Stdout, _requestId, content);
        return FastCgiConstants.HeaderSize;
    }
}
