namespace FastCgi.Protocol.Scgi;

/// <summary>Reads the head of an SCGI request from the received bytes, in place, wherever they were split.</summary>
/// <remarks>
/// An SCGI request is a netstring of headers, followed by the body without framing.
/// <code>
/// +----------------+-----+----------------------------------+-----+------------------------+
/// | length, digits | ":" | name 0 value 0 name 0 value 0 …  | "," | CONTENT_LENGTH bytes … |
/// +----------------+-----+----------------------------------+-----+------------------------+
/// </code>
/// (SCGI: A Simple Common Gateway Interface alternative, section "Request Format"; netstrings by D. J. Bernstein.)
/// </remarks>
public struct NetstringReader
{
    /// <summary>The maximum number of digits of a length. Valid heads are far below a gigabyte.</summary>
    public const int MaxDigits = 9;

    private State _state;
    private int _digits;
    private int _length;
    private int _remaining;

    private enum State : byte
    {
        Length,
        Content,
        Comma,
        End,
    }

    /// <summary>The declared length in bytes; null until it is complete.</summary>
    public readonly int? Length => _state == State.Length ? null : _length;

    /// <summary>True if the netstring is complete, with its comma. The following bytes are not part of it.</summary>
    public readonly bool IsWhole => _state == State.End;

    /// <summary>True if no byte of a netstring has come yet.</summary>
    public readonly bool IsEmpty => _state == State.Length && _digits == 0;

    /// <summary>The reason why the bytes are no netstring. Later calls find the same violation.</summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// Takes the bytes of the netstring from the front of <paramref name="input"/>. <paramref name="content"/> is the
    /// available part of its content, perhaps empty. False if there was nothing to take, or for a
    /// <see cref="Violation"/>.
    /// </summary>
    public bool TryRead(scoped ref ReadOnlySpan<byte> input, out ReadOnlySpan<byte> content)
    {
        content = default;
        bool any = _state == State.Length ? TryReadLength(ref input) : _state != State.End && !input.IsEmpty;
        if (!any)
        {
            return false;
        }

        if (_state == State.Content)
        {
            content = input[..Math.Min(input.Length, _remaining)];
            input = input[content.Length..];
            _remaining -= content.Length;
            _state = _remaining == 0 ? State.Comma : State.Content;
        }

        return _state != State.Comma || TryReadComma(ref input);
    }

    private bool TryReadLength(ref ReadOnlySpan<byte> input)
    {
        while (!input.IsEmpty)
        {
            byte next = input[0];
            if (next == ':' && _digits > 0)
            {
                input = input[1..];
                _remaining = _length;
                _state = _length == 0 ? State.Comma : State.Content;
                return true;
            }

            // A netstring's length has no leading zero, so that each length has one form.
            if (!char.IsAsciiDigit((char)next) || _digits == MaxDigits || (_digits == 1 && _length == 0))
            {
                Violation = ProtocolViolation.Netstring;
                return false;
            }

            _length = (_length * 10) + (next - '0');
            _digits++;
            input = input[1..];
        }

        return false;
    }

    /// <summary>Also true while the comma is missing: the caller gets the content before it.</summary>
    private bool TryReadComma(ref ReadOnlySpan<byte> input)
    {
        if (input.IsEmpty)
        {
            return true;
        }

        if (input[0] != ',')
        {
            Violation = ProtocolViolation.Netstring;
            return false;
        }

        input = input[1..];
        _state = State.End;
        return true;
    }
}
