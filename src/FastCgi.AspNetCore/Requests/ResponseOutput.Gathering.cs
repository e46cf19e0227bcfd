using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Large writes leave from the application's own memory, with the record headers gathered around it.</summary>
internal sealed partial class ResponseOutput
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

        _block.Rent(0);
        int start = _block.Start;
        int end = _block.Finish(_requestId);
        int body = RecordWriter.ContentFitting(data.Length);
        int rest = data.Length - body;
        RecordWriter.WriteHeader(_block.Buffer.AsSpan(end), RecordType.Stdout, _requestId, body);
        end += FastCgiConstants.HeaderSize;
        Span<byte> tail = stackalloc byte[FastCgiConstants.HeaderSize + LargestTail];
        tail = rest is > 0 and <= LargestTail ? WriteTail(tail, data[body..]) : [];

        SendOutcome outcome = _connection!.TrySendGathered(_block.Buffer.AsSpan(start, end - start), data[..body], tail);
        if (outcome == SendOutcome.Queued)
        {
            return 0;
        }

        _heldLength = 0;
        Volatile.Write(ref _headOut, true);
        _detached |= outcome == SendOutcome.Lost;
        _block.Restart();
        return tail.IsEmpty ? body : data.Length;
    }

    private Span<byte> WriteTail(Span<byte> tail, ReadOnlySpan<byte> content)
    {
        RecordWriter.WriteHeader(tail, RecordType.Stdout, _requestId, content.Length);
        content.CopyTo(tail[FastCgiConstants.HeaderSize..]);
        return tail[..(FastCgiConstants.HeaderSize + content.Length)];
    }
}
