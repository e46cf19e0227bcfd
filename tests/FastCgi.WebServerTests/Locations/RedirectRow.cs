namespace FastCgi.WebServerTests.Locations;

/// <summary>A directive that makes a web server ask for another page than the client, and a request that meets it.</summary>
/// <param name="Directive">The directive, as the page shows it.</param>
/// <param name="Request">Method and target.</param>
internal sealed record RedirectRow(string Directive, string Request)
{
    /// <summary>How many requests the application gets of it: two where the web server asks for a permission first.</summary>
    public int Count { get; init; } = 1;

    /// <summary>Why the application sees another path than an HTTP back end; null where both see the same.</summary>
    public string? Difference { get; init; }
}
