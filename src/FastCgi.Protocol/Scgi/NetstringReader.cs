namespace FastCgi.Protocol.Scgi;

/// <summary>Cuts the head of an SCGI request out of the received bytes, in place, however they were split.</summary>
/// <remarks>
/// An SCGI request is a netstring of headers, and behind it the body without any frame.
/// <code>
/// +----------------+-----+----------------------------------+-----+------------------------+
/// | length, digits | ":" | name 0 value 0 name 0 value 0 …  | "," | CONTENT_LENGTH bytes … |
/// +----------------+-----+----------------------------------+-----+------------------------+
/// </code>
/// (SCGI: A Simple Common Gateway Interface alternative, section "Request Format"; netstrings by D. J. Bernstein.)
/// </remarks>
public struct NetstringReader
{
    /// <summary>The most digits that a length may have: heads of a gigabyte are no heads.</summary>
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

    /// <summary>The declared length in bytes; null until all of it has come.</summary>
    public readonly int? Length => _state == State.Length ? null : _length;

    /// <summary>The netstring is whole, its comma included. What follows is not part of it.</summary>
    public readonly bool IsWhole => _state == State.End;

    /// <summary>No byte of a netstring has come yet.</summary>
    public readonly bool IsEmpty => _state == State.Length && _digits == 0;

    /// <summary>These bytes begin no netstring. Later calls meet the same violation.</summary>
    public ProtocolViolation Violation { get; private set; }

    /// <summary>
    /// Takes the bytes of the netstring from the front of <paramref name="input"/>. <paramref name="content"/> is the
    /// part of its content that was there, maybe none. False: there was nothing to take, or a
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

            // A netstring's length has no leading zero, so that there is one way to write it.
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

    /// <summary>True also while the comma is missing: the content before it belongs to the caller.</summary>
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
