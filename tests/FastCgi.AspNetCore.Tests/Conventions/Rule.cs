namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Names every violation of a rule: xunit shows only the beginning of a collection or a text.</summary>
internal static class Rule
{
    public static void Holds(IEnumerable<string?> violations)
    {
        var all = violations.ToList();
        if (all.Count > 0)
        {
            Assert.Fail(string.Join(Environment.NewLine, all));
        }
    }
}
