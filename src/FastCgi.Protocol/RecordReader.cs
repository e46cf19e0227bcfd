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
