namespace FastCgi.WebServerTests.Equality;

/// <summary>A known difference. One that is not listed fails, and so does a listed one that is no more.</summary>
/// <param name="Reason">Why it has to be, in the words of the documentation.</param>
/// <param name="Aspects">Names as <see cref="Equality.Aspects"/> gives them.</param>
internal sealed record Difference(string Reason, params IReadOnlyList<string> Aspects)
{
    /// <summary>Differences that every request has which reaches the application.</summary>
    public static IReadOnlyList<Difference> Standing { get; } =
    [
        new("REMOTE_PORT tells it; X-Forwarded-For does not.", "seen client port"),
        new(
            "The forwarded headers middleware leaves it behind; FastCGI needs no such middleware.",
            "seen header X-Original-Proto"),
    ];
}
