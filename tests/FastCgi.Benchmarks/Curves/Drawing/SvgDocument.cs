using System.Security;
using System.Text;

namespace FastCgi.Benchmarks.Curves.Drawing;

/// <summary>
/// Elements of SVG, one in a line; numbers have one decimal at most, so that a picture changes only as much as its
/// figures do.
/// </summary>
internal sealed class SvgDocument
{
    /// <summary>Light, and dark where the reader's system is.</summary>
    private const string Style = """
        text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f; }
        .title { font-size: 15px; font-weight: 600; }
        .panel { font-weight: 600; }
        .faint { fill: #656d76; font-size: 11px; }
        .end { text-anchor: end; }
        .middle { text-anchor: middle; }
        .ground, .ring { fill: #ffffff; }
        .rule { stroke: #e4e7eb; }
        .base { stroke: #8c959f; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .ring { stroke-width: 1.5; }
        .s0 { stroke: #0a63c9; } .f0 { fill: #0a63c9; }
        .s1 { stroke: #77808a; } .f1 { fill: #77808a; }
        .s2 { stroke: #b45f06; } .f2 { fill: #b45f06; }
        .s3 { stroke: #1a7f5a; } .f3 { fill: #1a7f5a; }
        .s4 { stroke: #8a3ffc; } .f4 { fill: #8a3ffc; }
        .s5 { stroke: #c2255c; } .f5 { fill: #c2255c; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .faint { fill: #8d96a0; }
          .ground, .ring { fill: #0d1117; }
          .rule { stroke: #242b33; }
          .base { stroke: #6e7681; }
          .s0 { stroke: #58a6ff; } .f0 { fill: #58a6ff; }
          .s1 { stroke: #98a2ad; } .f1 { fill: #98a2ad; }
          .s2 { stroke: #e69138; } .f2 { fill: #e69138; }
          .s3 { stroke: #3fb98a; } .f3 { fill: #3fb98a; }
          .s4 { stroke: #b392f0; } .f4 { fill: #b392f0; }
          .s5 { stroke: #f06595; } .f5 { fill: #f06595; }
        }
        """;

    private readonly StringBuilder _text = new();

    public SvgDocument(double width, double height, string title)
    {
        Add($"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" """, isWhole: false);
        Add($"""width="{width}" height="{height}" role="img">""");
        _text.Append("<title>").Append(SecurityElement.Escape(title)).Append("</title>\n");
        _text.Append("<style>\n").Append(Style.ReplaceLineEndings("\n")).Append("\n</style>\n");
        Add($"""<rect class="ground" width="{width}" height="{height}" rx="6"/>""");
    }

    /// <summary>How many colours there are; a further series begins again.</summary>
    public const int Colors = 6;

    public void Text(double x, double y, string classes, string text)
    {
        Add($"""<text x="{x:0.#}" y="{y:0.#}" class="{classes}">""", isWhole: false);
        _text.Append(SecurityElement.Escape(text)).Append("</text>\n");
    }

    public void Rule(double x1, double y1, double x2, double y2, string classes) => Add(
        $"""<line x1="{x1:0.#}" y1="{y1:0.#}" x2="{x2:0.#}" y2="{y2:0.#}" class="{classes}"/>""");

    public void Line(IEnumerable<(double X, double Y)> points, int color)
    {
        string path = string.Join(' ', points.Select(static point =>
            string.Create(CultureInfo.InvariantCulture, $"{point.X:0.#},{point.Y:0.#}")));
        Add($"""<polyline class="line s{color}" points="{path}"/>""");
    }

    public void Dot(double x, double y, int color, bool isHollow)
    {
        string classes = isHollow ? $"ring s{color}" : $"f{color}";
        Add($"""<circle cx="{x:0.#}" cy="{y:0.#}" r="3" class="{classes}"/>""");
    }

    public void Bar(double x, double y, double width, double height, int color) => Add(
        $"""<rect x="{x:0.#}" y="{y:0.#}" width="{width:0.#}" height="{height:0.#}" rx="2" class="f{color}"/>""");

    public override string ToString() => $"{_text}</svg>\n";

    private void Add(FormattableString element, bool isWhole = true) =>
        _text.Append(FormattableString.Invariant(element)).Append(isWhole ? "\n" : "");
}
