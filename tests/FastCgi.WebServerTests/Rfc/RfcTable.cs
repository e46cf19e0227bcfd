using FastCgi.WebServerTests.Equality;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>The table of docs/evidence/rfc.md.</summary>
public sealed class RfcTable() : ComparisonTable("rfc.md", "rfc.md")
{
    private const int Shown = 90;

    private protected override string Line(EqualityRow row, int number, Aspects fastCgi, Aspects kestrel)
    {
        var rule = (RfcRow)row;
        var request = Printable(row.Request.Replace(RfcRow.Host, "", StringComparison.Ordinal))
            .Replace("\\r\\n", "⏎", StringComparison.Ordinal);
        string[] cells =
        [
            rule.Section,
            rule.Rule,
            $"`{(request.Length > Shown ? request[..Shown] + "…" : request)}`",
            Status(fastCgi),
            Status(kestrel),
            fastCgi.Seen is null ? "no" : "yes",
            string.Join(" ", row.Differences.Select(difference => difference.Reason)
                .Append(rule.Remark).Where(text => text.Length > 0)),
        ];
        return $"| {string.Join(" | ", cells)} |";
    }

    private static string Status(Aspects side) => side.Response is { } response ? $"{response.Status}" : "closed";
}
