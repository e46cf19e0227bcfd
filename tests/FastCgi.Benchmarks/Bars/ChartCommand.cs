namespace FastCgi.Benchmarks.Bars;

/// <summary><c>chart</c>: the picture of docs/evidence/performance.md, from its own table.</summary>
internal static class ChartCommand
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

    public static Command Create()
    {
        var page = new Option<FileInfo>("--page") { Description = "the page with the table", Required = true };
        var output = new Option<FileInfo>("--output") { Description = "the picture, SVG", Required = true };
        var command = new Command("chart", "Draws the first table of a page as bars.") { page, output };
        command.SetAction(parsed => Draw(parsed.GetValue(page)!.FullName, parsed.GetValue(output)!.FullName));
        return command;
    }

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
