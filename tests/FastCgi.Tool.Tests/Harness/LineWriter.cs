using System.Text;

namespace FastCgi.Tool.Tests.Harness;

/// <summary>Keeps a text, and tells those who wait when a line is whole.</summary>
internal sealed class LineWriter : TextWriter
{
    private readonly Lock _lock = new();
    private readonly StringBuilder _text = new();
    private readonly StringBuilder _line = new();

    public ErrorLog Lines { get; } = new();

    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value)
    {
        lock (_lock)
        {
            _text.Append(value);
            if (value == '\n')
            {
                Lines.Add(_line.ToString());
                _line.Clear();
            }
            else
            {
                _line.Append(value);
            }
        }
    }

    public override string ToString()
    {
        lock (_lock)
        {
            return _text.ToString();
        }
    }
}
