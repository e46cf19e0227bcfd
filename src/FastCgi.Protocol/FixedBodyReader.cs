using System.Runtime.CompilerServices;

namespace FastCgi.Protocol;

/// <summary>
/// Gathers the eight bytes of BEGIN_REQUEST, END_REQUEST or UNKNOWN_TYPE when they arrive in parts. A mutable struct:
/// keep one beside the <see cref="RecordReader"/>, and give it every part of such a record.
/// </summary>
public struct FixedBodyReader
{
    private BodyBytes _bytes;
    private byte _length;

    /// <summary>BodyLength once a record of another length than eight was given; nothing is read any more.</summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// True: the body is whole and its eight bytes are in <paramref name="body"/>, which must be that long.
    /// False: more parts are needed, or <see cref="Violation"/> is set.
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
