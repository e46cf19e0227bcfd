using System.Collections.Immutable;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The rows, in the order of the table.</summary>
internal static class MatrixRows
{
    public static ImmutableArray<MatrixRow> All { get; } =
    [
        .. TargetRows.All, .. HeaderRows.All, .. BodyRows.All, .. ResponseRows.All, .. ConnectionRows.All,
        .. MountRows.All, .. EncryptionRows.All,
    ];

    public static MatrixRow Named(string name) => All.Single(row => row.Name == name);
}
