namespace FastCgi.WebServerTests.Locations;

/// <summary>docs/evidence/locations.md, whose tables are those of the test run.</summary>
internal static class LocationsPage
{
    private const string Accept = "FASTCGI_ACCEPT_LOCATIONS";

    /// <summary>Fails when the page has another table; writes it where the environment says that it is meant.</summary>
    /// <param name="name">The name of the table in the comments around it.</param>
    /// <param name="table">Markdown.</param>
    public static void AssertHas(string name, string table)
    {
        var begin = $"<!-- The table of {name} of the test run begins here. -->\n";
        var finish = $"<!-- The table of {name} of the test run ends here. -->\n";
        var path = Path.Combine(Repository.Root, "docs", "evidence", "locations.md");
        var page = File.ReadAllText(path);
        var start = page.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        var end = page.IndexOf(finish, StringComparison.Ordinal);
        Assert.True(start >= begin.Length && end >= start, $"evidence/locations.md has no place for the table of {name}.");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            page = $"{page[..start]}\n{table}\n{page[end..]}";
            end = page.IndexOf(finish, StringComparison.Ordinal);
            File.WriteAllText(path, page);
        }

        Assert.True(
            page[start..end].Trim() == table.Trim(),
            $"evidence/locations.md has another table than the test:\n{table}\n" +
            $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.");
    }
}
