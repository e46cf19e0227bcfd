using System.Globalization;
using System.Text;

namespace FastCgi.WebServerTests.Equality;

/// <summary>The table of docs/evidence/kestrel.md.</summary>
public sealed class EqualityTable() : ComparisonTable("kestrel.md", "equality.md")
{
    private const int Shown = 80;

    private protected override string Line(EqualityRow row, int number, Aspects fastCgi, Aspects kestrel)
    {
        var known = row.Differences.Select(difference =>
        {
            var aspects = difference.Aspects.Select(aspect =>
                $"{aspect} {Cut(fastCgi.Shown(aspect))}, Kestrel {Cut(kestrel.Shown(aspect))}");
            return $"{string.Join("; ", aspects)}. {difference.Reason}";
        });
        string[] cells =
        [
            number.ToString(CultureInfo.InvariantCulture),
            row.Name,
            Cut(row.Request.Split("\r\n")[0]),
            fastCgi.Response?.Status.ToString(CultureInfo.InvariantCulture) ?? "none",
            Cut(fastCgi.Seen?.Summary ?? "not reached"),
            row.Differences is [] ? "the same" : string.Join("<br>", known),
        ];
        return $"| {string.Join(" | ", cells)} |";
    }

    private protected override string Write(IEnumerable<string> lines)
    {
        var text = new StringBuilder()
            .Append(lines.Count())
            .AppendLine(" requests, each answered by the same application on two servers behind nginx: ours behind")
            .AppendLine("`fastcgi_pass`, Kestrel behind `proxy_pass` with forwarded headers. Compared: status, headers and")
            .AppendLine("body of the response, and all that the application saw of the request. Letter case of header names is not compared;")
            .AppendLine("one row is about it.")
            .AppendLine()
            .AppendLine("What differs for every request:")
            .AppendLine();
        foreach (var difference in Difference.Standing)
        {
            text.Append("- ").AppendJoin(", ", difference.Aspects).Append(": ").AppendLine(difference.Reason);
        }

        text.AppendLine()
            .AppendLine("| # | about | request | status | seen by the application | compared with Kestrel |")
            .AppendLine("| --- | --- | --- | --- | --- | --- |");
        return lines.Aggregate(text, (all, line) => all.AppendLine(line)).ToString();
    }

    /// <summary>By what is shown, not by what it is escaped to.</summary>
    private static string Cut(string text) =>
        $"`{Printable(text[..Math.Min(text.Length, Shown)])}{(text.Length > Shown ? "…" : "")}`";
}
