namespace FastCgi.Benchmarks.Bars;

/// <summary>The picture of docs/evidence/performance.md, from its own table.</summary>
internal static class PerformanceChart
{
    private const string Heading = "plaintext by middleware, 13 bytes; 32 connections; keep_conn on";
    private const string Title = "A small answer behind nginx, 32 connections, two cores";

    private static readonly Dictionary<string, string> s_names = new()
    {
        ["fastcgi"] = "this server",
        ["kestrel"] = "Kestrel, proxy_pass",
        ["php-fpm"] = "PHP-FPM",
        ["go"] = "Go, net/http/fcgi",
        ["node"] = "Node.js, node-fastcgi",
        ["floor"] = "C, does nothing else",
    };

    /// <exception cref="InvalidOperationException">The page does not have the table.</exception>
    public static void Draw(string page, string picture)
    {
        var table = MarkdownTable.Read(page, Heading);
        (string, string)[] rows = [.. s_names
            .Where(pair => table.RowsWith("requests/s").Contains(pair.Key))
            .Select(static pair => (pair.Key, pair.Value))];
        File.WriteAllText(picture, BarChart.Draw(Title, table, rows));
    }
}
