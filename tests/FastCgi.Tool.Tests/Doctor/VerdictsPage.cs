using System.Text.Json.Nodes;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>docs/evidence/doctor-verdicts.md, whose rows are those of the test run.</summary>
internal static class VerdictsPage
{
    private const string Accept = "FASTCGI_ACCEPT_VERDICTS";
    private const string Folder = "../../tests/FastCgi.Tool.Tests/Doctor/Corpus/";

    private static readonly Lock _lock = new();

    private static string Path => System.IO.Path.Combine(Repository.Root, "docs", "evidence", "doctor-verdicts.md");

    /// <summary>The files that have a row.</summary>
    public static IEnumerable<string> Names => File.ReadAllLines(Path)
        .Where(static line => line.StartsWith("| [", StringComparison.Ordinal))
        .Select(static line => line[3..line.IndexOf(']', StringComparison.Ordinal)]);

    /// <summary>Fails when the page has another row; writes it where the environment says that it is meant.</summary>
    /// <param name="about">Its first comment.</param>
    /// <param name="complaints">Requests that the real web server answers wrongly.</param>
    public static void AssertHas(string name, string about, IReadOnlyList<string> complaints, JsonNode doctor)
    {
        var symptom = complaints switch
        {
            [] => "all right",
            [var only] => Escape(only),
            [var first, ..] => $"{Escape(first)}; {complaints.Count - 1} more",
        };
        string[] verdicts = [.. Rules(doctor, "findings", ""), .. Rules(doctor, "hints", "hint: ")];
        var row = $"| [{name}]({Folder}{name}) | {Escape(about)} | {symptom} | {string.Join(", ", verdicts)} |";
        lock (_lock)
        {
            var lines = File.ReadAllLines(Path).ToList();
            if (Environment.GetEnvironmentVariable(Accept) == "1")
            {
                lines.RemoveAll(line => line.StartsWith($"| [{name}]", StringComparison.Ordinal));
                var isApache = name.StartsWith("Apache/", StringComparison.Ordinal);
                var table = lines.FindIndex(line => line == (isApache ? "## Apache" : "## nginx"));
                var at = lines.FindIndex(table, static line => line.StartsWith("| ---", StringComparison.Ordinal)) + 1;
                while (at < lines.Count && lines[at].StartsWith('|')
                    && string.CompareOrdinal(lines[at], row) < 0)
                {
                    at++;
                }

                lines.Insert(at, row);
                File.WriteAllLines(Path, lines);
            }

            Assert.True(
                lines.Contains(row),
                $"docs/evidence/doctor-verdicts.md has another row than the test:\n{row}\n" +
                $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.");
        }
    }

    private static IEnumerable<string> Rules(JsonNode doctor, string kind, string prefix) => doctor[kind]!.AsArray()
        .Select(finding => $"{prefix}`{(string)finding!["rule"]!}`").Distinct();

    /// <summary>The first line.</summary>
    private static string Escape(string text) => (text.IndexOf('\n', StringComparison.Ordinal) is >= 0 and var end
        ? $"{text[..end]} …"
        : text).Replace("|", "\\|", StringComparison.Ordinal)
            .Replace("<", "&lt;", StringComparison.Ordinal).Replace("*", "\\*", StringComparison.Ordinal);
}
