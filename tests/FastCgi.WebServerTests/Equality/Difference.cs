namespace FastCgi.WebServerTests.Equality;

/// <summary>A known difference. One that is not listed fails, and so does a listed one that is no more.</summary>
/// <param name="Aspect">A key of <see cref="Aspects"/>.</param>
/// <param name="Reason">Why it has to be, in the words of the documentation.</param>
internal sealed record Difference(string Aspect, string Reason)
{
    /// <summary>Differences that every request has which reaches the application.</summary>
    public static IReadOnlyList<Difference> Standing { get; } =
    [
        new("seen client port", "REMOTE_PORT tells it; X-Forwarded-For does not."),
        new("seen header X-Original-Proto", "The forwarded headers middleware leaves it behind; FastCGI needs no such middleware."),
    ];
}
