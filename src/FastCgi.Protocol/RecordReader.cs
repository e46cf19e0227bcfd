using System.Runtime.CompilerServices;

namespace FastCgi.Protocol;

/// <summary>
/// Cuts received bytes into records (FastCGI 1.0, section 3.3), in place and without waiting for a complete record.
/// Consumes all received bytes and stores at most seven bytes of a header, so the receive buffer can be returned after
/// every receive. A mutable struct: keep it in a field, and never copy it.
/// </summary>
/// <example>
/// <code>
/// while (_reader.TryRead(ref received, out RecordPart part))
/// {
///     Route(part);
/// }
///
/// if (_reader.Violation != ProtocolViolation.None)
/// {
///     Close(); // received begins with the bytes that are wrong
/// }
/// </code>
/// </example>
public struct RecordReader
{
    private HeaderBytes _pending;
    private byte _pendingLength;
    private byte _remainingPadding;
    private ushort _remainingContent;
    private RecordHeader _header;

    /// <summary>
    /// The reason why <see cref="TryRead"/> returns no more records. None if it only needs more bytes.
    /// </summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// True if no record is incomplete, so that the connection may end here. False inside a header, content or padding.
    /// </summary>
    public readonly bool IsBetweenRecords =>
        _pendingLength == 0 && _remainingContent == 0 && _remainingPadding == 0;

    /// <summary>
    /// Takes the next part from the front of <paramref name="received"/>. The first part of a record is returned as
    /// soon as its header is complete: its declared length can be checked before any content is buffered. False if all
    /// bytes were consumed and more are needed, or if <see cref="Violation"/> is set. Then <paramref name="received"/>
    /// begins with the invalid record.
    /// </summary>
    public bool TryRead(scoped ref ReadOnlySpan<byte> received, out RecordPart part)
    {
        part = default;
        var isFirst = _remainingContent == 0;
        if (isFirst ? !TryStartRecord(ref received) : received.IsEmpty)
        {
            return false;
        }

        var length = Math.Min(_remainingContent, received.Length);
        _remainingContent -= (ushort)length;
        part = new RecordPart(_header, received[..length], isFirst, isLast: _remainingContent == 0);
        received = received[length..];
        return true;
    }

    private bool TryStartRecord(scoped ref ReadOnlySpan<byte> received)
    {
        if (_remainingPadding > 0)
        {
            var skipped = Math.Min(_remainingPadding, received.Length);
            _remainingPadding -= (byte)skipped;
            received = received[skipped..];
        }

        if (received.IsEmpty || Violation != ProtocolViolation.None)
        {
            return false;
        }

        // The first byte is enough. Waiting for seven more would hang if a peer sent "GET" and waits for an answer.
        if (_pendingLength == 0 && received[0] != FastCgiConstants.Version)
        {
            Violation = ProtocolViolation.UnsupportedVersion;
            return false;
        }

        if (!TryTakeHeader(ref received))
        {
            return false;
        }

        _remainingContent = _header.ContentLength;
        _remainingPadding = _header.PaddingLength;
        return true;
    }

    private bool TryTakeHeader(scoped ref ReadOnlySpan<byte> received)
    {
        if (_pendingLength == 0 && RecordHeader.TryRead(received, out _header))
        {
            received = received[FastCgiConstants.HeaderSize..];
            return true;
        }

        var taken = Math.Min(FastCgiConstants.HeaderSize - _pendingLength, received.Length);
        received[..taken].CopyTo(_pending[_pendingLength..]);
        _pendingLength += (byte)taken;
        received = received[taken..];
        if (_pendingLength < FastCgiConstants.HeaderSize)
        {
            return false;
        }

        RecordHeader.TryRead(_pending, out _header);
        _pendingLength = 0;
        return true;
    }

    [InlineArray(FastCgiConstants.HeaderSize)]
    private struct HeaderBytes
    {
        private byte _first;
    }
}

/// <summary>A record, or the part of one that has arrived, as cut by <see cref="RecordReader"/>.</summary>
public readonly ref struct RecordPart
{
    internal RecordPart(RecordHeader header, ReadOnlySpan<byte> content, bool isFirst, bool isLast)
    {
        Header = header;
        Content = content;
        IsFirst = isFirst;
        IsLast = isLast;
    }

    /// <summary>The header of the whole record; the same in each of its parts.</summary>
    public RecordHeader Header { get; }

    /// <summary>The next bytes of the content, in the receive buffer; may be empty in the first part.</summary>
    public ReadOnlySpan<byte> Content { get; }

    /// <summary>True if the header has just arrived: check its type, id and length now.</summary>
    public bool IsFirst { get; }

    /// <summary>True if no more content follows. Padding may follow, which the reader skips.</summary>
    public bool IsLast { get; }

    /// <summary>True if the record is empty, which ends a stream.</summary>
    public bool IsEndOfStream => Header.ContentLength == 0;
}

/// <summary>
/// Collects the eight bytes of BEGIN_REQUEST, END_REQUEST or UNKNOWN_TYPE if they arrive in parts. A mutable struct:
/// keep one beside the <see cref="RecordReader"/>, and give it every part of such a record.
/// </summary>
public struct FixedBodyReader
{
    private BodyBytes _bytes;
    private byte _length;

    /// <summary>BodyLength after a record with a length other than eight. Then nothing is read any more.</summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// True if the body is complete: its eight bytes are in <paramref name="body"/>, which must be that long. False if
    /// more parts are needed, or <see cref="Violation"/> is set.
    /// </summary>
    public bool TryRead(scoped in RecordPart part, Span<byte> body)
    {
        if (part.Header.ContentLength != FastCgiConstants.FixedBodySize)
        {
            Violation = ProtocolViolation.BodyLength;
        }

        if (Violation != ProtocolViolation.None)
        {
            return false;
        }

        if (part.IsFirst)
        {
            _length = 0;
        }

        part.Content.CopyTo(_bytes[_length..]);
        _length += (byte)part.Content.Length;
        if (!part.IsLast)
        {
            return false;
        }

        ((ReadOnlySpan<byte>)_bytes).CopyTo(body);
        return true;
    }

    [InlineArray(FastCgiConstants.FixedBodySize)]
    private struct BodyBytes
    {
        private byte _first;
    }
}
