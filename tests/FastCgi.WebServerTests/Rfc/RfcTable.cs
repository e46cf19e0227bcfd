using FastCgi.WebServerTests.Equality;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>Both servers, and the lines of the page as this run makes them.</summary>
public sealed class RfcTable : IAsyncLifetime
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
            await File.WriteAllLinesAsync(Repository.Artifact("rfc.md"), _lines.Values);
        }
    }

    internal string Add(RfcRow row, Aspects fastCgi, Aspects kestrel)
    {
        var line = Line(row, fastCgi, kestrel);
        _lines.Add(RfcRows.All.IndexOf(row), line);
        return line;
    }

    private static string Line(RfcRow row, Aspects fastCgi, Aspects kestrel)
    {
        var reasons = row.Exchange.Differences.Select(difference => difference.Reason);
        string[] cells =
        [
            row.Section,
            row.Rule,
            Code(row.Exchange.Request),
            Status(fastCgi),
            Status(kestrel),
            fastCgi.Seen is null ? "no" : "yes",
            string.Join(" ", reasons.Append(row.Remark).Where(text => text.Length > 0)),
        ];
        return $"| {string.Join(" | ", cells)} |";
    }

    private static string Status(Aspects side) => side.Response is { } response ? $"{response.Status}" : "closed";

    /// <summary>The request in one line: its host left out, what is not printable escaped, long runs cut.</summary>
    private static string Code(string request)
    {
        const int Shown = 90;
        var text = string.Concat(request.Replace(RfcRow.Host, "", StringComparison.Ordinal).Select(c => c switch
        {
            '\r' => "\\r",
            '\n' => "\\n",
            '\t' => "\\t",
            '|' => "\\|",
            '`' => "'",
            < ' ' or > '~' => $"\\x{(int)c:X2}",
            _ => c.ToString(),
        })).Replace("\\r\\n", "⏎", StringComparison.Ordinal);
        return $"`{(text.Length > Shown ? text[..Shown] + "…" : text)}`";
    }
}
