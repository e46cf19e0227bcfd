namespace FastCgi.Benchmarks.Curves.Drawing;

/// <summary>Panels side by side over the same horizontal axis.</summary>
/// <param name="Title">Of the whole picture.</param>
/// <param name="XTitle">What grows to the right.</param>
/// <param name="X">The axis that all panels have.</param>
/// <param name="Panels">From left to right.</param>
/// <param name="Notes">Lines below them.</param>
internal sealed record Chart(
    string Title, string XTitle, Axis X, IReadOnlyList<Panel> Panels, IReadOnlyList<string> Notes);

/// <param name="Title">What goes up, with its unit.</param>
/// <param name="Y">Its axis.</param>
/// <param name="Lines">One for each series.</param>
internal sealed record Panel(string Title, Axis Y, IReadOnlyList<Line> Lines);

/// <param name="Name">Written at its end.</param>
/// <param name="Color">Its number among the colours: the same series has the same in all panels.</param>
/// <param name="Points">From left to right; at least one.</param>
internal sealed record Line(string Name, int Color, IReadOnlyList<Point> Points);

/// <param name="X">On the chart's axis.</param>
/// <param name="Y">On the panel's.</param>
/// <param name="IsHollow">Drawn as a ring.</param>
internal readonly record struct Point(double X, double Y, bool IsHollow);
