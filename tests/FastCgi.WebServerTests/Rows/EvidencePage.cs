namespace FastCgi.WebServerTests.Rows;

/// <summary>A page of docs/evidence whose tables are those of the test run.</summary>
/// <param name="accept">The variable which says, by 1, that another table is meant: it is written.</param>
internal sealed class EvidencePage(string name, string accept)
{
    public string Path { get; } = System.IO.Path.Combine(Repository.Root, "docs", "evidence", name);

    /// <summary>Fails when the page has another table.</summary>
    /// <param name="named">What the comments around it call it, where the page has several.</param>
    public void AssertHas(string table, string named = "")
    {
        var begin = $"<!-- The table {named}of the test run begins here. -->\n";
        var finish = $"<!-- The table {named}of the test run ends here. -->\n";
        var page = File.ReadAllText(Path);
        var start = page.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        var end = page.IndexOf(finish, StringComparison.Ordinal);
        Assert.True(start >= begin.Length && end >= start, $"{name} has no place for the table {named}.");
        if (Environment.GetEnvironmentVariable(accept) == "1")
        {
            page = $"{page[..start]}\n{table}\n{page[end..]}";
            end = page.IndexOf(finish, StringComparison.Ordinal);
            File.WriteAllText(Path, page);
        }

        Assert.True(
            page[start..end].Trim() == table.Trim(),
            $"docs/evidence/{name} has another table than the test:\n{table}\n" +
            $"If that is meant, run this test with {accept}=1 in the environment and commit the file.");
    }
}
