using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>When to warn of users that do not count. A handler lives for one request only.</summary>
internal sealed class UserWarnings(TimeProvider timeProvider)
{
    private readonly LogInterval _interval = new(timeProvider);

    /// <inheritdoc cref="LogInterval.TryEnter"/>
    public bool TryEnter(out long count) => _interval.TryEnter(out count);
}
