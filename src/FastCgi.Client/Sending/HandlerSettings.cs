using System.Collections.Frozen;
using FastCgi.Client.Connections;
using FastCgi.Client.Php;
using FastCgi.Client.Requests;

namespace FastCgi.Client.Sending;

/// <summary>The checked options of a handler, in the form that its parts need.</summary>
internal sealed record HandlerSettings(
    ConnectionTarget Target,
    RequestRules Rules,
    PoolLimits Limits,
    int MaxHeadLength,
    TimeSpan ConnectTimeout,
    TimeSpan HeadTimeout,
    TimeSpan IdleTimeout,
    bool FollowLocalRedirects,
    Action<HttpRequestMessage, ReadOnlyMemory<byte>>? StandardError,
    TimeProvider Clock)
{
    /// <exception cref="FormatException">The endpoint is not an address to connect to.</exception>
    /// <exception cref="ArgumentException">Another option is invalid.</exception>
    public static HandlerSettings From(FastCgiHandlerOptions options)
    {
        ConnectionTarget target = ConnectionTarget.From(options.Endpoint, options.ConnectCallback is not null);
        bool isScgi = (options.Protocol ?? target.Protocol) == FastCgiEndpointProtocol.Scgi;
        bool keep = options.KeepConnection ?? options.DocumentRoot is null;
        return new HandlerSettings(
            target,
            RulesFrom(options, isScgi, keep && !isScgi),
            new PoolLimits(
                options.MaxConnections, options.PooledConnectionIdleTimeout, options.PooledConnectionLifetime),
            options.MaxResponseHeadersLength * 1024,
            TimerLimit.From(options.ConnectTimeout),
            TimerLimit.From(options.ResponseHeadersTimeout),
            TimerLimit.From(options.ResponseIdleTimeout),
            options.FollowLocalRedirects,
            options.StandardError,
            options.TimeProvider);
    }

    private static RequestRules RulesFrom(FastCgiHandlerOptions options, bool isScgi, bool keepConnection)
    {
        byte[][] extensions = [.. options.ScriptExtensions.Select(Encoding.UTF8.GetBytes)];
        if (extensions.Any(static extension => extension.Length == 0))
        {
            throw new ArgumentException("ScriptExtensions has an empty entry. Write extensions like '.php'.");
        }

        if (options.DocumentRoot is { } root && root is not ['/', ..] && !Path.IsPathRooted(root))
        {
            throw new ArgumentException(
                $"The DocumentRoot '{root}' is not absolute. Write it as the PHP process sees it, like /srv/blog.");
        }

        return new RequestRules(
            isScgi,
            keepConnection,
            options.DocumentRoot is null ? null : new ScriptLocator(options.DocumentRoot, extensions, options.Index),
            extensions,
            options.Parameters.ToFrozenDictionary(
                static pair => pair.Key, static string? (pair) => pair.Value, StringComparer.Ordinal),
            options.AllowAmbiguousHeaderNames,
            options.AllowProxyHeader,
            options.UnknownLengthBody);
    }
}
