using System.Globalization;

namespace FastCgi.Client.Requests;

/// <summary>
/// The head of an SCGI request: a netstring of names and values, each followed by a NUL, CONTENT_LENGTH first.
/// </summary>
internal sealed class ScgiParameterWriter(OutputBuffer output) : IParameterWriter
{
    /// <summary>Nine digits and a colon.</summary>
    private const int Reserved = 10;

    public void Begin()
    {
        output.GetSpan(Reserved);
        output.Advance(Reserved);
    }

    public void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Write(name);
        Write(value);
    }

    public void End()
    {
        Span<byte> digits = stackalloc byte[Reserved];
        (output.Position - Reserved).TryFormat(digits, out int count, default, CultureInfo.InvariantCulture);
        digits[count++] = (byte)':';
        output.Start = Reserved - count;
        digits[..count].CopyTo(output.Bytes[output.Start..]);
        output.Write(","u8);
    }

    private void Write(ReadOnlySpan<byte> text)
    {
        if (text.Contains((byte)0))
        {
            throw new FastCgiException(
                FastCgiError.InvalidRequest, "A parameter has a NUL in it, which SCGI cannot express.");
        }

        output.Write(text);
        output.Write("\0"u8);
    }
}
