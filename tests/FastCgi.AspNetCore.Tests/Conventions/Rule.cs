namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Says all that breaks a rule: xunit shows only the beginning of a collection.</summary>
internal static class Rule
{
    public static void Holds(IEnumerable<string?> violations) => Assert.Equal("", string.Join(Environment.NewLine, violations));
}
