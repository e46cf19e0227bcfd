namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// The faults of tests/mutations/server.txt can still be put in: "bash tests/run --long mutations" finds out whether
/// the tests notice them.
/// </summary>
public class MutationListTests
{
    private const int Fewest = 40;

    private static List<Dictionary<string, string>> Entries { get; } =
        [.. File.ReadAllText(Path.Combine(Source.Root, "tests/mutations/server.txt"))
            .Split("\n\n", StringSplitOptions.RemoveEmptyEntries)
            .Select(Read).Where(static entry => entry.Count > 0)];

    [Fact]
    public void There_are_enough_of_them_and_no_two_have_one_name()
    {
        Assert.InRange(Entries.Count, Fewest, int.MaxValue);
        Assert.Equal(Entries.Count, Entries.DistinctBy(static entry => entry["name"]).Count());
    }

    [Fact]
    public void The_text_of_each_occurs_as_often_as_it_says() => Rule.Holds(
        from entry in Entries
        let expected = entry.TryGetValue("nth", out var nth) ? int.Parse(nth.Split(" of ")[1], null) : 1
        let count = File.ReadAllText(Path.Combine(Source.Root, entry["file"])).Split(entry["from"]).Length - 1
        where count != expected || entry["from"] == entry["to"]
        select $"{entry["name"]}: its text occurs {count} times in {entry["file"]}, not {expected}");

    private static Dictionary<string, string> Read(string entry) => entry.Split('\n')
        .Where(static line => !line.StartsWith('#') && line.Contains(": ", StringComparison.Ordinal))
        .ToDictionary(
            static line => line[..line.IndexOf(": ", StringComparison.Ordinal)],
            static line => line[(line.IndexOf(": ", StringComparison.Ordinal) + 2)..]);
}
