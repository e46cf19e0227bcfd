using FastCgi.Benchmarks.Curves.Drawing;

namespace FastCgi.Benchmarks.Bars;

/// <summary>Two columns of a table as bars, side by side: a row for each target.</summary>
internal static class BarChart
{
    private const double Width = 860;
    private const double NamesWidth = 210;
    private const double FigureWidth = 64;
    private const double RowHeight = 30;
    private const double BarHeight = 18;
    private const double Top = 78;
    private const double Margin = 16;
    private const double TitleBaseline = 28;
    private const double PanelBaseline = 58;
    private const double TextDrop = 4;

    private static readonly (string Column, string Title, string Format)[] s_panels =
    [
        ("CPU/request µs", "CPU for each request, µs: less is better", "0.0"),
        ("requests/s", "requests per second: more is better", "#,0"),
    ];

    /// <param name="rows">The target's name in the table, and in the picture; this server first.</param>
    public static string Draw(string title, MarkdownTable table, IReadOnlyList<(string Row, string Name)> rows)
    {
        double panelWidth = (Width - NamesWidth - Margin) / s_panels.Length;
        double barWidth = panelWidth - FigureWidth - Margin;
        var svg = new SvgDocument(Width, Top + (rows.Count * RowHeight) + Margin, title);
        svg.Text(Margin, TitleBaseline, "title", title);
        for (int row = 0; row < rows.Count; row++)
        {
            svg.Text(NamesWidth - Margin, Middle(row) + TextDrop, row == 0 ? "panel end" : "end", rows[row].Name);
        }

        for (int panel = 0; panel < s_panels.Length; panel++)
        {
            var (column, name, format) = s_panels[panel];
            double left = NamesWidth + (panel * panelWidth);
            double most = rows.Max(row => table.Figure(row.Row, column));
            svg.Text(left, PanelBaseline, "panel", name);
            for (int row = 0; row < rows.Count; row++)
            {
                double figure = table.Figure(rows[row].Row, column);
                double length = Math.Max(1, barWidth * figure / most);
                svg.Bar(left, Middle(row) - (BarHeight / 2), length, BarHeight, row == 0 ? 0 : 1);
                svg.Text(left + length + (Margin / 2), Middle(row) + TextDrop, row == 0 ? "panel" : "",
                    figure.ToString(format, CultureInfo.InvariantCulture));
            }
        }

        return svg.ToString();
    }

    private static double Middle(int row) => Top + (row * RowHeight) + (RowHeight / 2) - (Margin / 2);
}
