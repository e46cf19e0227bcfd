using System.Globalization;
using System.Text;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Both sides, and the table of what they answered, written at the end for the documentation.</summary>
public sealed class EqualityTable : IAsyncLifetime
{
    private readonly SortedDictionary<int, string> _lines = [];
    private EqualitySide? _fastCgi;
    private EqualitySide? _kestrel;

    internal EqualitySide FastCgi => _fastCgi!;

    internal EqualitySide Kestrel => _kestrel!;

    public async ValueTask InitializeAsync()
    {
        _fastCgi = await EqualitySide.StartAsync(BackEndKind.FastCgi);
        _kestrel = await EqualitySide.StartAsync(BackEndKind.Kestrel);
    }

    public async ValueTask DisposeAsync()
    {
        if (_fastCgi is not null)
        {
            await _fastCgi.DisposeAsync();
        }

        if (_kestrel is not null)
        {
            await _kestrel.DisposeAsync();
            await File.WriteAllTextAsync(Repository.Artifact("equality.md"), Write());
        }
    }

    internal string Add(EqualityRow row, Aspects fastCgi, Aspects kestrel)
    {
        var known = row.Differences.Select(difference =>
        {
            var aspects = difference.Aspects.Select(aspect =>
                $"{aspect} {Code(fastCgi.Shown(aspect))}, Kestrel {Code(kestrel.Shown(aspect))}");
            return $"{string.Join("; ", aspects)}. {difference.Reason}";
        });
        var seen = fastCgi.Seen?.Summary ?? "not reached";
        var number = EqualityRows.All.IndexOf(row) + 1;
        string[] cells =
        [
            number.ToString(CultureInfo.InvariantCulture),
            row.Name,
            Code(row.Request.Split("\r\n")[0]),
            fastCgi.Response?.Status.ToString(CultureInfo.InvariantCulture) ?? "none",
            Code(seen),
            row.Differences is [] ? "the same" : string.Join("<br>", known),
        ];
        var line = $"| {string.Join(" | ", cells)} |";
        _lines.Add(number, line);
        return line;
    }

    private string Write()
    {
        var text = new StringBuilder()
            .Append(_lines.Count)
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
        return _lines.Values.Aggregate(text, (all, line) => all.AppendLine(line)).ToString();
    }

    /// <summary>Text as a cell can hold it: printable, in one line, not too long.</summary>
    private static string Code(string text)
    {
        const int Shown = 80;
        var printable = text.Select(c => c switch
        {
            '|' => "\\|",
            '`' => "'",
            < ' ' or > '~' => $"\\x{(int)c:X2}",
            _ => c.ToString(),
        });
        return $"`{string.Concat(printable.Take(Shown))}{(text.Length > Shown ? "…" : "")}`";
    }
}
