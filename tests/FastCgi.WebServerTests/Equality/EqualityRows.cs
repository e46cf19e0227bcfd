using System.Collections.Immutable;

namespace FastCgi.WebServerTests.Equality;

/// <summary>The table's rows, by name.</summary>
internal static class EqualityRows
{
    public static ImmutableArray<EqualityRow> All { get; } =
        [.. TargetRows.All, .. HeaderRows.All, .. BodyRows.All, .. ResponseRows.All];

    public static EqualityRow Named(string name) => All.Single(row => row.Name == name);
}
