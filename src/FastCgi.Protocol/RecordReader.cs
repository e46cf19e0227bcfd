using System.Runtime.CompilerServices;

namespace FastCgi.Protocol;

/// <summary>
/// Cuts what was received into records (FastCGI 1.0, section 3.3), in place and without waiting for a whole record.
/// Everything received is consumed: at most seven bytes of a header are kept here, so the receive buffer
/// can be given back after every receive. A mutable struct: keep it in a field, and never copy it.
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
    /// Why <see cref="TryRead"/> gives no records any more; None as long as it only needs more bytes.
    /// </summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// Nothing of a record is outstanding, so that the connection may end here. False inside a header, content
    /// or padding.
    /// </summary>
    public readonly bool IsBetweenRecords =>
        _pendingLength == 0 && _remainingContent == 0 && _remainingPadding == 0;

    /// <summary>
    /// Takes the next part off the front of <paramref name="received"/>. The first part of a record comes as soon as
    /// its header is whole, so that its declared length can be judged before any content is buffered. False: all was
    /// consumed and more is needed, or <see cref="Violation"/> is set and <paramref name="received"/> is left at the
    /// record that is wrong.
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

        // The first byte says enough. Waiting for seven more would hang on a peer that sent "GET" and waits for us.
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
