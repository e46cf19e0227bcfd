namespace FastCgi.Tool.Output;

/// <summary>
/// Shows control characters as <c>\u001B</c>, so that a peer's text cannot control the terminal or hide a line. Line
/// ends and tabs are kept, and JSON stays valid.
/// </summary>
internal sealed class PrintableWriter(TextWriter inner) : TextWriter(CultureInfo.InvariantCulture)
{
    public override Encoding Encoding => inner.Encoding;

    public override void Write(char value)
    {
        if (IsPlain(value) || CoreNewLine.Contains(value))
        {
            inner.Write(value);
        }
        else
        {
            inner.Write(Escape(value));
        }
    }

    public override void Write(string? value)
    {
        if (value is null || value.All(IsPlain))
        {
            inner.Write(value);
            return;
        }

        foreach (char c in value.ReplaceLineEndings())
        {
            Write(c);
        }
    }

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Flush() => inner.Flush();

    /// <summary>Shows a value for one cell or one line: its line ends are escaped too.</summary>
    public static string Show(string value) => string.Concat(value.Select(static c =>
        IsPlain(c) && c != '\n' ? c.ToString() : Escape(c)));

    /// <summary>False for C0, DEL and C1.</summary>
    private static bool IsPlain(char c) => !char.IsControl(c) || c is '\n' or '\t';

    private static string Escape(char c) => string.Create(CultureInfo.InvariantCulture, $"\\u{(int)c:X4}");
}
