using System.Runtime.CompilerServices;

namespace FastCgi.Protocol;

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
