namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// The faults of tests/mutations can still be put in: "bash tests/run --long mutations" finds out whether
/// the tests notice them.
/// </summary>
public class MutationListTests
{
    private const int Fewest = 250;

    private static List<Dictionary<string, string>> Entries { get; } =
        [.. Directory.GetFiles(Path.Combine(Source.Root, "tests/mutations"), "*.txt")
            .SelectMany(static file => File.ReadAllText(file).Split("\n\n", StringSplitOptions.RemoveEmptyEntries))
            .Select(Read).Where(static entry => entry.Count > 0)];

    [Fact]
    public void There_are_enough_of_them_and_no_two_have_one_name()
    {
        Assert.InRange(Entries.Count, Fewest, int.MaxValue);
        Assert.Equal(Entries.Count, Entries.DistinctBy(static entry => entry["name"]).Count());
    }

    [Fact]
    public void The_text_of_each_occurs_once_in_its_file_or_member() => Rule.Holds(
        from entry in Entries
        let file = Source.Read(entry["file"])
        let member = entry.GetValueOrDefault("in")
        let place = member is null ? file : Member(file, member)
        let count = place.Split(entry["from"]).Length - 1
        where count != 1 || entry["from"] == entry["to"]
        select $"{entry["name"]}: its text occurs {count} times in {member ?? entry["file"]}");

    /// <summary>From the only line that has the text to the brace that ends the member; empty without such a line.</summary>
    private static string Member(string file, string text) =>
        file.Split(text) is [_, var behind] ? behind.Split("\n    }\n")[0] : "";

    private static Dictionary<string, string> Read(string entry) => entry.Split('\n')
        .Where(static line => !line.StartsWith('#') && line.Contains(": ", StringComparison.Ordinal))
        .ToDictionary(
            static line => line[..line.IndexOf(": ", StringComparison.Ordinal)],
            static line => line[(line.IndexOf(": ", StringComparison.Ordinal) + 2)..]);
}
