using System.Collections.Immutable;

namespace FastCgi.WebServerTests.Rfc;

/// <summary>The corpus, by name.</summary>
internal static class RfcRows
{
    public static ImmutableArray<RfcRow> All { get; } = [.. MessageRows.All, .. SemanticsRows.All];

    public static RfcRow Named(string name) => All.Single(row => row.Exchange.Name == name);
}
