using System.Text.RegularExpressions;

namespace FastCgi.Benchmarks.Tables;

/// <summary>
/// A page with figures. Each of its sections says by which commands its tables were measured, in lines <c>run …</c> of a
/// block of shell code; each table stands below a heading, which is also its title in the report of the command.
/// </summary>
internal static partial class MeasuredPage
{
    /// <summary>The commands of the page in their order, each with the section that it stands in.</summary>
    public static IReadOnlyList<(string Section, string Arguments)> Commands(string page) =>
    [
        .. from section in Sections(page)
           from Match command in Command().Matches(page[section])
           select (Title(page, section), Continued().Replace(command.Groups["arguments"].Value, " ")),
    ];

    /// <summary>The titles of the tables of a report.</summary>
    public static IReadOnlyList<string> Titles(string report) =>
        [.. Table().Matches(report).Select(static table => table.Groups["title"].Value)];

    /// <summary>The titles of the tables in a section of the page.</summary>
    public static IReadOnlyList<string> Titles(string page, string section) => Titles(page[Find(page, section)]);

    /// <summary>The page with the tables of a report in the places of those that have their titles.</summary>
    /// <param name="section">Where to look: two sections may have tables of one title.</param>
    /// <param name="replaced">The titles of the tables that have changed places.</param>
    public static string Replace(string page, string section, string report, out IReadOnlyList<string> replaced)
    {
        var measured = new Dictionary<string, string>();
        foreach (Match table in Table().Matches(report))
        {
            measured[table.Groups["title"].Value] = table.Groups["rows"].Value;
        }

        List<string> found = [];
        Range range = Find(page, section);
        string text = Table().Replace(page[range], table =>
        {
            if (!measured.TryGetValue(table.Groups["title"].Value, out string? rows))
            {
                return table.Value;
            }

            found.Add(table.Groups["title"].Value);
            return table.Groups["heading"].Value + rows;
        });
        replaced = found;
        return page[..range.Start] + text + page[range.End..];
    }

    private static IEnumerable<Range> Sections(string page)
    {
        int[] starts = [.. SectionHeading().Matches(page).Select(static heading => heading.Index), page.Length];
        return starts.Zip(starts.Skip(1), static (start, end) => start..end);
    }

    private static Range Find(string page, string section) =>
        Sections(page).First(range => Title(page, range) == section);

    private static string Title(string page, Range section) =>
        SectionHeading().Match(page[section]).Groups["title"].Value;

    [GeneratedRegex(@"^## (?<title>.+)$", RegexOptions.Multiline)]
    private static partial Regex SectionHeading();

    /// <summary>A line of a block of shell code, with those that continue it.</summary>
    [GeneratedRegex(@"^run (?<arguments>(?:.*\\\n)*.*)$", RegexOptions.Multiline)]
    private static partial Regex Command();

    [GeneratedRegex(@"\s*\\\n\s*")]
    private static partial Regex Continued();

    /// <summary>A heading, and the table below it.</summary>
    [GeneratedRegex(@"^(?<heading>##+ (?<title>.+)\n\n)(?<rows>(?:\|.*\n)+)", RegexOptions.Multiline)]
    private static partial Regex Table();
}
