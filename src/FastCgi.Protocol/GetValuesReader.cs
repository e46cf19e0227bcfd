using System.Runtime.CompilerServices;

namespace FastCgi.Protocol;

/// <summary>
/// Reads the content of a GET_VALUES record (FastCGI 1.0, section 4.1) part by part: name-value pairs whose values have
/// no meaning. It stores at most one name, so that 64 KiB of names need no buffer. A mutable struct: keep one beside
/// the <see cref="RecordReader"/>, and give it every part of such a record.
/// </summary>
public struct GetValuesReader
{
    private PairLengthsReader _lengths;
    private NameBytes _name;
    private int _nameLength;
    private int _remainingName;
    private int _remainingValue;
    private ManagementVariables _asked;

    /// <summary>
    /// True if the record has ended; <paramref name="asked"/> has the variables that it named. Unknown names,
    /// repetitions, values, and an incomplete last pair are ignored. False if more parts are needed.
    /// </summary>
    public bool TryRead(scoped in RecordPart part, out ManagementVariables asked)
    {
        if (part.IsFirst)
        {
            this = default;
        }

        Read(part.Content);
        asked = _asked;
        return part.IsLast;
    }

    private void Read(ReadOnlySpan<byte> piece)
    {
        while (!piece.IsEmpty)
        {
            TakeName(ref piece);
            TakeValue(ref piece);
            if (_lengths.TryRead(ref piece))
            {
                _nameLength = 0;
                _remainingName = _lengths.NameLength;
                _remainingValue = _lengths.ValueLength;
            }
        }
    }

    private void TakeName(ref ReadOnlySpan<byte> piece)
    {
        var taken = Math.Min(_remainingName, piece.Length);
        if (_lengths.NameLength <= ManagementVariableNames.LongestLength)
        {
            piece[..taken].CopyTo(_name[_nameLength..]);
            _nameLength += taken;
        }

        _remainingName -= taken;
        piece = piece[taken..];
    }

    private void TakeValue(ref ReadOnlySpan<byte> piece)
    {
        if (_remainingName > 0)
        {
            return;
        }

        var taken = Math.Min(_remainingValue, piece.Length);
        _remainingValue -= taken;
        piece = piece[taken..];
        if (_remainingValue == 0)
        {
            _asked |= ManagementVariableNames.Find(_name[.._nameLength]);
            _nameLength = 0;
        }
    }

    [InlineArray(ManagementVariableNames.LongestLength)]
    private struct NameBytes
    {
        private byte _first;
    }
}
