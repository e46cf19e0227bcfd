namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// What does not yet keep a rule of the house, in KnownOffenders.txt: a line has the rule and the name. The list only
/// shrinks: a name that keeps its rule must leave the list.
/// </summary>
internal static class KnownOffenders
{
    private const string File = "tests/FastCgi.AspNetCore.Tests/Conventions/KnownOffenders.txt";

    /// <summary>The offenders are those of the list, no more and no fewer.</summary>
    /// <param name="detail">What the message says of an offender that is not listed.</param>
    public static void AreAll(string rule, IEnumerable<string> offenders, Func<string, string>? detail = null)
    {
        var found = offenders.ToHashSet();
        var known = System.IO.File.ReadLines(Path.Combine(Source.Root, File))
            .Where(line => line.StartsWith($"{rule} ", StringComparison.Ordinal))
            .Select(line => line[(rule.Length + 1)..])
            .ToHashSet();
        Rule.Holds([
            .. found.Except(known).Order(StringComparer.Ordinal).Select(name => $"{rule} {name} {detail?.Invoke(name)}"),
            .. known.Except(found).Order(StringComparer.Ordinal).Select(name => $"{File} no longer needs: {rule} {name}")]);
    }
}
