namespace FastCgi.WebServerKit.Samples;

/// <summary>
/// A file of samples/web-servers, changed as its reader would change it. Each change must find what it changes exactly
/// once, or as often as it says: a file that has become another fails the test.
/// </summary>
internal sealed class SampleFile
{
    private readonly string _name;
    private readonly List<string> _lines;

    private SampleFile(string name, IEnumerable<string> lines)
    {
        _name = name;
        _lines = [.. lines];
    }

    public static SampleFile Read(string name) =>
        new(name, File.ReadAllLines(Path.Combine(Repository.Root, "samples", "web-servers", name)));

    /// <summary>Puts this test's own address or path in the place of the documented one, outside of comments.</summary>
    public SampleFile Replace(string documented, string actual, int times = 1)
    {
        var found = 0;
        for (var i = 0; i < _lines.Count; i++)
        {
            if (!IsComment(_lines[i]) && _lines[i].Contains(documented, StringComparison.Ordinal))
            {
                _lines[i] = _lines[i].Replace(documented, actual, StringComparison.Ordinal);
                found++;
            }
        }

        Assert.True(found == times, $"{_name} has {found} lines with '{documented}', not {times}.");
        return this;
    }

    /// <summary>Switches on the one line that begins so; it stands in the file behind a # without a space.</summary>
    public SampleFile Enable(string setting)
    {
        Uncomment(Find($"#{setting}"));
        return this;
    }

    /// <summary>Switches on every line from the one that begins so to the next that is exactly <paramref name="last"/>.</summary>
    public SampleFile Enable(string first, string last)
    {
        var start = Find($"#{first}");
        var end = _lines.FindIndex(start, line => line.Trim() == $"#{last}");
        Assert.True(end >= 0, $"{_name} has no line '#{last}' after '#{first}'.");
        for (var i = start; i <= end; i++)
        {
            if (IsSetting(_lines[i]))
            {
                Uncomment(i);
            }
        }

        return this;
    }

    /// <summary>Switches off the one line that begins so.</summary>
    public SampleFile Disable(string setting)
    {
        Comment(Find(setting));
        return this;
    }

    /// <summary>Switches off every line from the one that begins so to the next that is exactly <paramref name="last"/>.</summary>
    public SampleFile Disable(string first, string last)
    {
        var start = Find(first);
        var end = _lines.FindIndex(start, line => line.Trim() == last);
        Assert.True(end >= 0, $"{_name} has no line '{last}' after '{first}'.");
        for (var i = start; i <= end; i++)
        {
            Comment(i);
        }

        return this;
    }

    /// <summary>Switches to the setting for a port, where the application is reached by one.</summary>
    public SampleFile SwitchAddress(SampleReach reach, string bySocket, string byPort) =>
        reach.Tcp is null ? this : Disable(bySocket).Enable(byPort);

    /// <summary>The application's own address in the place of the documented one of that kind.</summary>
    public SampleFile ReplaceAddress(SampleReach reach, string documentedSocket, string documentedPort) =>
        reach.Tcp is { } address ? Replace(documentedPort, $"{address}") : Replace(documentedSocket, reach.Socket!);

    /// <summary>The certificates of this test in the place of the documented ones.</summary>
    public SampleFile ReplaceCertificates(TestAuthority authority) => this
        .Replace("/etc/ssl/certs/www.example.com.pem", authority.SiteFile)
        .Replace("/etc/ssl/private/www.example.com.key", authority.SiteKeyFile)
        .Replace("/etc/ssl/certs/clients.pem", authority.CertificateFile);

    public override string ToString() => string.Join('\n', _lines);

    private int Find(string beginning)
    {
        var found = Enumerable.Range(0, _lines.Count)
            .Where(i => _lines[i].TrimStart().StartsWith(beginning, StringComparison.Ordinal))
            .ToList();
        Assert.True(found.Count == 1, $"{_name} has {found.Count} lines that begin with '{beginning}', not 1.");
        return found[0];
    }

    /// <summary>The space before the # stays, and so does that behind it: files like h2o's go by it.</summary>
    private void Uncomment(int i) => _lines[i] = _lines[i].Remove(_lines[i].IndexOf('#', StringComparison.Ordinal), 1);

    private void Comment(int i) =>
        _lines[i] = _lines[i].Insert(_lines[i].Length - _lines[i].TrimStart().Length, "#");

    private static bool IsComment(string line) => line.TrimStart().StartsWith('#');

    /// <summary>A setting that is switched off, as opposed to words for the reader, which begin after one space.</summary>
    private static bool IsSetting(string line) =>
        line.Trim() is ['#', _, ..] text && text is not ['#', ' ', not ' ', ..];
}
