using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Equality;

/// <summary>
/// An application answers the same on our server as on Kestrel. docs/evidence/kestrel.md lists each difference with its
/// reason.
/// </summary>
public sealed class EqualityTests(EqualityTable table) : IClassFixture<EqualityTable>
{
    private const int LeastRows = 60;

    internal static IReadOnlyList<Row> Rows { get; } =
        [.. TargetRows.All, .. HeaderRows.All, .. BodyRows.All, .. ResponseRows.All, .. FrameworkRows.All];

    public static TheoryData<string> Names => [.. Rows.Select(row => row.Name)];

    [Theory, MemberData(nameof(Names))]
    public Task The_answer_is_the_same_on_both_servers(string name) => table.AssertAlikeAsync(name);

    [Fact]
    public void The_table_has_rows_enough_and_each_a_name_of_its_own()
    {
        Assert.InRange(Rows.Count, LeastRows, int.MaxValue);
        Assert.Distinct(Rows.Select(row => row.Name));
    }
}

/// <summary>The table of docs/evidence/kestrel.md.</summary>
public sealed class EqualityTable() : ComparedTable("kestrel.md", "equality.md")
{
    private const int Shown = 80;

    private protected override IReadOnlyList<Row> Rows => EqualityTests.Rows;

    private protected override IEnumerable<string> Cells(Row row, int number, Observation fastCgi, Observation kestrel)
    {
        var known = row.Differences.Select(difference =>
        {
            var aspects = difference.Aspects.Select(aspect =>
                $"{aspect} {Cut(fastCgi.Shown(aspect))}, Kestrel {Cut(kestrel.Shown(aspect))}");
            return $"{string.Join("; ", aspects)}. {difference.Reason}";
        });
        return
        [
            number.ToString(CultureInfo.InvariantCulture),
            row.Name,
            Cut(row.Request.Split("\r\n")[0]),
            fastCgi.Response?.Status.ToString(CultureInfo.InvariantCulture) ?? "none",
            Cut(fastCgi.Seen?.Summary ?? "not reached"),
            row.Differences is [] ? "the same" : string.Join("<br>", known),
        ];
    }

    private protected override string Write()
    {
        var standing = Standing.Select(static difference =>
            $"- {string.Join(", ", difference.Aspects)}: {difference.Reason}");
        return $"""
            {Rows.Count} requests, each answered by the same application on two servers behind nginx: ours behind
            `fastcgi_pass`, Kestrel behind `proxy_pass` with forwarded headers. Compared: status, headers and
            body of the response, and all that the application saw of the request. Letter case of header names is not
            compared; one row is about it.

            What differs for every request:

            {string.Join('\n', standing)}

            | # | about | request | status | seen by the application | compared with Kestrel |
            | --- | --- | --- | --- | --- | --- |
            {base.Write()}

            """;
    }

    /// <summary>By what is shown, not by what it is escaped to.</summary>
    private static string Cut(string text) =>
        $"`{Printable(text[..Math.Min(text.Length, Shown)])}{(text.Length > Shown ? "…" : "")}`";
}
