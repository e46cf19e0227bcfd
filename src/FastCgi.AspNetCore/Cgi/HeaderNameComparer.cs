namespace FastCgi.AspNetCore.Cgi;

/// <summary>Compares header names as CGI does: case does not matter, and an underscore equals a hyphen.</summary>
internal sealed class HeaderNameComparer : IEqualityComparer<string>
{
    public static readonly HeaderNameComparer Instance = new();

    public bool Equals(string? x, string? y) =>
        string.Equals(WithHyphens(x), WithHyphens(y), StringComparison.OrdinalIgnoreCase);

    public int GetHashCode(string obj) => WithHyphens(obj).GetHashCode(StringComparison.OrdinalIgnoreCase);

    /// <summary>The name with its underscores as hyphens; the same object where it has none.</summary>
    [return: System.Diagnostics.CodeAnalysis.NotNullIfNotNull(nameof(name))]
    public static string? WithHyphens(string? name) => name?.Replace('_', '-');
}
