namespace FastCgi.Benchmarks.Curves.Drawing;

/// <summary>Panels side by side over the same horizontal axis.</summary>
internal sealed record Chart(
    string Title, string XTitle, Axis X, IReadOnlyList<Panel> Panels, IReadOnlyList<string> Notes);

internal sealed record Panel(string Title, Axis Y, IReadOnlyList<Line> Lines);

/// <param name="Color">Its number among the colours: the same series has the same in all panels.</param>
/// <param name="Points">From left to right; at least one.</param>
internal sealed record Line(string Name, int Color, IReadOnlyList<Point> Points);

/// <param name="IsHollow">Drawn as a ring.</param>
internal readonly record struct Point(double X, double Y, bool IsHollow);
