using System.Xml.Linq;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>The picture on docs/evidence/performance.md shows the figures of the page's first table.</summary>
public sealed class PerformanceChartTests
{
    private const string Heading = "### plaintext by middleware, 13 bytes; 32 connections; keep_conn on";

    private static readonly string _evidence = Path.Combine(Repository.Root, "docs", "evidence");

    [Fact]
    public void The_picture_has_the_figures_of_the_table()
    {
        var table = File.ReadLines(Path.Combine(_evidence, "performance.md"))
            .SkipWhile(static line => line != Heading)
            .SkipWhile(static line => !line.StartsWith('|'))
            .TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries))
            .ToArray();
        var requests = Array.IndexOf(table[0], "requests/s");
        var cpu = Array.IndexOf(table[0], "CPU/request µs");
        var picture = XDocument.Load(Path.Combine(_evidence, "performance.svg"));
        var figures = picture.Descendants()
            .Where(static element => element.Name.LocalName == "text")
            .Select(static element => element.Value)
            .Where(static text => double.TryParse(text, CultureInfo.InvariantCulture, out _));

        // One panel behind the other, each with all rows.
        Assert.Equal(
            new[] { cpu, requests }.SelectMany(column => table[2..].Select(row => row[column])).Order(),
            figures.Order());
    }
}
