namespace FastCgi.Benchmarks.Curves.Drawing;

/// <summary>Draws a chart: figures at the left of each panel, the names of the lines at their ends.</summary>
internal static class ChartDrawing
{
    private const double FiguresWidth = 54;
    private const double NamesWidth = 86;
    /// <summary>Of all panels together.</summary>
    private const double PlotWidth = 600;
    private const double PlotHeight = 230;
    private const double PlotTop = 74;
    private const double TitleBaseline = 28;
    private const double PanelTitleGap = 20;
    private const double TickLength = 4;
    private const double TickTextGap = 18;
    private const double XTitleGap = 36;
    private const double NotesGap = 62;
    private const double LineHeight = 16;
    private const double HalfText = 4;
    private const double Gap = 8;

    private const double Bottom = PlotTop + PlotHeight;

    public static string Draw(Chart chart)
    {
        double plotWidth = PlotWidth / chart.Panels.Count;
        double panelWidth = FiguresWidth + plotWidth + NamesWidth;
        var svg = new SvgDocument(
            Math.Round(panelWidth * chart.Panels.Count),
            Bottom + NotesGap + (chart.Notes.Count * LineHeight),
            chart.Title);
        svg.Text(Gap * 2, TitleBaseline, "title", chart.Title);
        for (int i = 0; i < chart.Panels.Count; i++)
        {
            double left = (i * panelWidth) + FiguresWidth;
            DrawFrame(svg, chart, chart.Panels[i], left, plotWidth);
            DrawLines(svg, chart, chart.Panels[i], left, plotWidth);
        }

        for (int i = 0; i < chart.Notes.Count; i++)
        {
            svg.Text(Gap * 2, Bottom + NotesGap + (i * LineHeight), "faint", chart.Notes[i]);
        }

        return svg.ToString();
    }

    private static void DrawFrame(SvgDocument svg, Chart chart, Panel panel, double left, double width)
    {
        svg.Text(left, PlotTop - PanelTitleGap, "panel", panel.Title);
        foreach (var tick in panel.Y.Ticks)
        {
            double y = Bottom - (panel.Y.Place(tick.Value) * PlotHeight);
            svg.Rule(left, y, left + width, y, tick == panel.Y.Ticks[0] ? "base" : "rule");
            svg.Text(left - Gap, y + HalfText, "faint end", tick.Text);
        }

        foreach (var tick in chart.X.Ticks)
        {
            double x = left + (chart.X.Place(tick.Value) * width);
            svg.Rule(x, Bottom, x, Bottom + TickLength, "base");
            svg.Text(x, Bottom + TickTextGap, "faint middle", tick.Text);
        }

        svg.Text(left + (width / 2), Bottom + XTitleGap, "faint middle", chart.XTitle);
    }

    private static void DrawLines(SvgDocument svg, Chart chart, Panel panel, double left, double width)
    {
        List<(Line Line, double Y)> ends = [];
        foreach (var line in panel.Lines.Reverse())
        {
            (double X, double Y)[] places =
            [
                .. line.Points.Select(point => (
                    left + (chart.X.Place(point.X) * width), Bottom - (panel.Y.Place(point.Y) * PlotHeight))),
            ];
            svg.Line(places, line.Color);
            foreach (var (place, point) in places.Zip(line.Points))
            {
                svg.Dot(place.X, place.Y, line.Color, point.IsHollow);
            }

            ends.Add((line, places[^1].Y));
        }

        DrawNames(svg, ends, left + width + Gap);
    }

    /// <summary>Each beside the end of its line, and as far from it as the others need.</summary>
    private static void DrawNames(SvgDocument svg, List<(Line Line, double Y)> ends, double left)
    {
        var names = ends
            .Select(static end => (end.Line, end.Y, Parts: end.Line.Name.Split(", ")))
            .OrderBy(static end => end.Y)
            .ThenBy(static end => end.Line.Color)
            .ToArray();
        double[] tops = new double[names.Length];
        double free = double.NegativeInfinity;
        for (int i = 0; i < names.Length; i++)
        {
            double height = names[i].Parts.Length * LineHeight;
            tops[i] = Math.Max(names[i].Y - (height / 2), free);
            free = tops[i] + height;
        }

        // What was pushed below the panel goes up again, and pushes those above it.
        double limit = Bottom + HalfText;
        for (int i = names.Length - 1; i >= 0; i--)
        {
            tops[i] = Math.Min(tops[i], limit - (names[i].Parts.Length * LineHeight));
            limit = tops[i];
        }

        for (int i = 0; i < names.Length; i++)
        {
            for (int part = 0; part < names[i].Parts.Length; part++)
            {
                double y = tops[i] + (part * LineHeight) + (LineHeight / 2) + HalfText;
                svg.Text(left, y, $"f{names[i].Line.Color}", names[i].Parts[part]);
            }
        }
    }
}
