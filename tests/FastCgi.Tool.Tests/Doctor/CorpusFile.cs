using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>
/// A configuration of the corpus. Its first lines are comments: what it is; <c>finds</c>, the rules of the doctor;
/// <c>hints</c>, those that are no mistakes; <c>ask</c>, further requests with what a site that works answers; <c>mount</c>, where the application is, with a
/// slash in front; <c>arguments</c> of the doctor.
/// </summary>
internal sealed partial class CorpusFile
{
    private CorpusFile(string name, string text)
    {
        Name = name;
        Text = text;
        Finds = [.. Values("finds").SelectMany(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
        Hints = [.. Values("hints").SelectMany(static line => line.Split(' '))];
        Mount = Values("mount").FirstOrDefault() ?? "";
        Arguments = [.. Values("arguments")];
        Asks = [.. Values("ask").Select(CorpusAsk.Parse)];
    }

    public static string Directory { get; } =
        Path.Combine(Repository.Root, "tests", "FastCgi.Tool.Tests", "Doctor", "Corpus");

    public static TheoryData<string> Names =>
    [
        .. System.IO.Directory.EnumerateFiles(Directory, "*.conf")
            .Select(static path => Path.GetFileName(path)).Order(),
    ];

    public string Name { get; }

    public string Text { get; }

    /// <summary>The first comment.</summary>
    public string About => Text.Split('\n')[0].TrimStart('#', ' ');

    public string[] Finds { get; }

    public string[] Hints { get; }

    public string Mount { get; }

    public string[] Arguments { get; }

    public CorpusAsk[] Asks { get; }

    /// <summary>It has an application of ASP.NET Core, which gets the usual requests too.</summary>
    public bool HasApplication => Text.Contains("/run/app/", StringComparison.Ordinal)
        || Text.Contains("127.0.0.1:9000", StringComparison.Ordinal) || Finds.Length > 0;

    public string Scheme => Text.Contains("listen 443", StringComparison.Ordinal) ? "https" : "http";

    /// <summary>What a client of the site writes into Host.</summary>
    public string Host => ListenOfSite().Match(Text).Groups[1].Value is "80" or "443" or ""
        ? "site.example"
        : $"site.example:{ListenOfSite().Match(Text).Groups[1].Value}";

    /// <summary>The last server with a port is the site; those before it redirect.</summary>
    public string WithListen(string site, string others)
    {
        var listens = ListenLine().Matches(Text);
        var text = Text;
        foreach (var listen in listens.Reverse().Index())
        {
            text = text.Remove(listen.Item.Index, listen.Item.Length)
                .Insert(listen.Item.Index, $"listen {(listen.Index == 0 ? site : $"{others}{listen.Index}")};");
        }

        return text;
    }

    /// <summary>Those for Apache, below a folder.</summary>
    public static TheoryData<string> ApacheNames =>
    [
        .. System.IO.Directory.EnumerateFiles(Path.Combine(Directory, "Apache"), "*.conf")
            .Select(static path => $"Apache/{Path.GetFileName(path)}").Order(),
    ];

    public static CorpusFile Read(string name) => new(name, File.ReadAllText(Path.Combine(Directory, name)));

    /// <summary>The doctor finds its mistakes, if and only if requests go wrong, and the page says so.</summary>
    /// <param name="run">The doctor, with --json.</param>
    /// <param name="complaints">Requests that the real web server answers wrongly.</param>
    public void AssertJudged(ToolRun run, IReadOnlyList<string> complaints)
    {
        var rules = run.Rules.Order();
        Assert.True(
            Finds.Order().SequenceEqual(rules),
            $"{string.Join(' ', rules)} found\n{string.Join('\n', complaints)}\n{run.Output}");
        Assert.Subset(
            run.Json["hints"]!.AsArray().Select(static hint => (string)hint!["rule"]!).ToHashSet(), Hints.ToHashSet());
        VerdictsPage.AssertHas(Name, About, complaints, run.Json);
        Assert.True(
            Finds.Length > 0 == complaints.Count > 0,
            $"{Finds.Length} mistakes, and these requests fail:\n{string.Join('\n', complaints)}");
    }

    private IEnumerable<string> Values(string key) => Text.Split('\n')
        .Where(line => line.StartsWith($"# {key}:", StringComparison.Ordinal))
        .Select(line => line[(key.Length + 3)..].Trim());

    [GeneratedRegex(@"listen [^;]+;")]
    private static partial Regex ListenLine();

    [GeneratedRegex(@"listen (\d+)[^;]*;(?![\s\S]*listen )")]
    private static partial Regex ListenOfSite();
}
