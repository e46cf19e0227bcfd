using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// Kestrel's settings of an application. Settings from code are taken over, so that a published application keeps its
/// limits. The others are kept for the notices at the start.
/// </summary>
internal sealed class KestrelSettings
{
    private const string EndpointsSection = "Kestrel:Endpoints";

    // A function returns null if the setting has been replaced since.
    private readonly List<Func<string?>> _taken = [];

    private KestrelSettings()
    {
    }

    /// <summary>The name and value of each setting that was taken over and not replaced since.</summary>
    public IEnumerable<string> Taken => _taken.Select(static taken => taken()).OfType<string>();

    /// <summary>Settings that this server does not have.</summary>
    public List<string> Ignored { get; } = [];

    /// <summary>Kestrel's endpoints from code and configuration. This server does not listen on them.</summary>
    public List<string> Endpoints { get; } = [];

    /// <summary>The exceptions of the application's code.</summary>
    public List<Exception> Failures { get; } = [];

    /// <summary>Copies Kestrel's settings that are not defaults to <paramref name="options"/>; null if none.</summary>
    public static KestrelSettings? Read(IServiceProvider services, FastCgiServerOptions options)
    {
        IConfigureOptions<KestrelServerOptions>[] configures =
            [.. services.GetServices<IConfigureOptions<KestrelServerOptions>>()];
        var settings = new KestrelSettings();
        if (configures.Length > 0)
        {
            // Separate options: those that Kestrel would get stay unchanged.
            var kestrel = new KestrelServerOptions { ApplicationServices = services };
            kestrel.ConfigureEndpointDefaults(endpoint => settings.Endpoints.Add($"{endpoint}"));
            foreach (IConfigureOptions<KestrelServerOptions> configure in configures)
            {
                settings.Try(() => configure.Configure(kestrel));
            }

            var defaults = new KestrelServerOptions();
            settings.TakeAll(kestrel, defaults, options);
            settings.NameIgnored(kestrel, defaults);
        }

        // Kestrel reads this section by default.
        settings.Endpoints.AddRange(services.GetService<IConfiguration>()?.GetSection(EndpointsSection).GetChildren()
            .Select(static endpoint => $"{endpoint["Url"]} ({endpoint.Path})".TrimStart()) ?? []);
        return configures.Length > 0 || settings.Endpoints.Count > 0 ? settings : null;
    }

    private void TakeAll(KestrelServerOptions kestrel, KestrelServerOptions defaults, FastCgiServerOptions options)
    {
        KestrelServerLimits from = kestrel.Limits;
        KestrelServerLimits usual = defaults.Limits;
        FastCgiServerLimits to = options.Limits;
        Take(nameof(to.MaxRequestBodySize), from.MaxRequestBodySize, usual.MaxRequestBodySize,
            () => to.MaxRequestBodySize = from.MaxRequestBodySize, () => to.MaxRequestBodySize);
        Take(nameof(to.MaxRequestBufferSize), from.MaxRequestBufferSize, usual.MaxRequestBufferSize,
            () => to.MaxRequestBufferSize = from.MaxRequestBufferSize, () => to.MaxRequestBufferSize);
        Take(nameof(to.MaxResponseBufferSize), from.MaxResponseBufferSize, usual.MaxResponseBufferSize,
            () => to.MaxResponseBufferSize = from.MaxResponseBufferSize, () => to.MaxResponseBufferSize);
        Take(nameof(to.MaxRequestHeadersTotalSize), from.MaxRequestHeadersTotalSize, usual.MaxRequestHeadersTotalSize,
            () => to.MaxRequestHeadersTotalSize = from.MaxRequestHeadersTotalSize, () => to.MaxRequestHeadersTotalSize);
        Take(nameof(to.MaxRequestHeaderCount), from.MaxRequestHeaderCount, usual.MaxRequestHeaderCount,
            () => to.MaxRequestHeaderCount = from.MaxRequestHeaderCount, () => to.MaxRequestHeaderCount);
        Take(nameof(to.MaxRequestLineSize), from.MaxRequestLineSize, usual.MaxRequestLineSize,
            () => to.MaxRequestLineSize = from.MaxRequestLineSize, () => to.MaxRequestLineSize);
        Take(nameof(to.MaxConcurrentConnections), from.MaxConcurrentConnections, usual.MaxConcurrentConnections,
            () => to.MaxConcurrentConnections = from.MaxConcurrentConnections, () => to.MaxConcurrentConnections);
        Take(nameof(to.MaxConcurrentUpgradedConnections), from.MaxConcurrentUpgradedConnections,
            usual.MaxConcurrentUpgradedConnections,
            () => to.MaxConcurrentUpgradedConnections = from.MaxConcurrentUpgradedConnections,
            () => to.MaxConcurrentUpgradedConnections);
        Take(nameof(to.RequestHeadersTimeout), from.RequestHeadersTimeout, usual.RequestHeadersTimeout,
            () => to.RequestHeadersTimeout = from.RequestHeadersTimeout, () => to.RequestHeadersTimeout);
        Take(nameof(to.MinRequestBodyDataRate), Text(from.MinRequestBodyDataRate), Text(usual.MinRequestBodyDataRate),
            () => to.MinRequestBodyDataRate = from.MinRequestBodyDataRate, () => Text(to.MinRequestBodyDataRate));
        Take(nameof(to.MinResponseDataRate), Text(from.MinResponseDataRate), Text(usual.MinResponseDataRate),
            () => to.MinResponseDataRate = from.MinResponseDataRate, () => Text(to.MinResponseDataRate));
        Take(nameof(to.KeepAliveTimeout), from.KeepAliveTimeout, usual.KeepAliveTimeout,
            () => to.KeepAliveTimeout = from.KeepAliveTimeout, () => to.KeepAliveTimeout);
        Take(nameof(options.AllowSynchronousIO), kestrel.AllowSynchronousIO, defaults.AllowSynchronousIO,
            () => options.AllowSynchronousIO = kestrel.AllowSynchronousIO, () => options.AllowSynchronousIO);
        Take(nameof(options.DisableStringReuse), kestrel.DisableStringReuse, defaults.DisableStringReuse,
            () => options.DisableStringReuse = kestrel.DisableStringReuse, () => options.DisableStringReuse);
        Take(nameof(options.AddServerHeader), kestrel.AddServerHeader, defaults.AddServerHeader,
            () => options.AddServerHeader = kestrel.AddServerHeader, () => options.AddServerHeader);
        Take(nameof(options.RequestHeaderEncodingSelector), kestrel.RequestHeaderEncodingSelector,
            defaults.RequestHeaderEncodingSelector,
            () => options.RequestHeaderEncodingSelector = kestrel.RequestHeaderEncodingSelector,
            () => options.RequestHeaderEncodingSelector);
        Take(nameof(options.ResponseHeaderEncodingSelector), kestrel.ResponseHeaderEncodingSelector,
            defaults.ResponseHeaderEncodingSelector,
            () => options.ResponseHeaderEncodingSelector = kestrel.ResponseHeaderEncodingSelector,
            () => options.ResponseHeaderEncodingSelector);
    }

    /// <summary>Settings for HTTP between client and Kestrel. The web server has such settings.</summary>
    private void NameIgnored(KestrelServerOptions kestrel, KestrelServerOptions defaults)
    {
        (Http2Limits http2, Http2Limits usual) = (kestrel.Limits.Http2, defaults.Limits.Http2);
        (string Name, bool IsSet)[] settings =
        [
            ("AllowResponseHeaderCompression",
                kestrel.AllowResponseHeaderCompression != defaults.AllowResponseHeaderCompression),
            ("AllowAlternateSchemes", kestrel.AllowAlternateSchemes != defaults.AllowAlternateSchemes),
            ("AllowHostHeaderOverride", kestrel.AllowHostHeaderOverride != defaults.AllowHostHeaderOverride),
            ("Limits.Http2.MaxStreamsPerConnection", http2.MaxStreamsPerConnection != usual.MaxStreamsPerConnection),
            ("Limits.Http2.HeaderTableSize", http2.HeaderTableSize != usual.HeaderTableSize),
            ("Limits.Http2.MaxFrameSize", http2.MaxFrameSize != usual.MaxFrameSize),
            ("Limits.Http2.MaxRequestHeaderFieldSize",
                http2.MaxRequestHeaderFieldSize != usual.MaxRequestHeaderFieldSize),
            ("Limits.Http2.InitialConnectionWindowSize",
                http2.InitialConnectionWindowSize != usual.InitialConnectionWindowSize),
            ("Limits.Http2.InitialStreamWindowSize", http2.InitialStreamWindowSize != usual.InitialStreamWindowSize),
            ("Limits.Http2.KeepAlivePingDelay", http2.KeepAlivePingDelay != usual.KeepAlivePingDelay),
            ("Limits.Http2.KeepAlivePingTimeout", http2.KeepAlivePingTimeout != usual.KeepAlivePingTimeout),
            ("Limits.Http3.MaxRequestHeaderFieldSize", kestrel.Limits.Http3.MaxRequestHeaderFieldSize
                != defaults.Limits.Http3.MaxRequestHeaderFieldSize),
        ];
        Ignored.AddRange(settings.Where(static setting => setting.IsSet).Select(static setting => setting.Name));
    }

    private static string? Text(MinDataRate? rate) => rate is null
        ? null
        : "(" + rate.BytesPerSecond.ToString(CultureInfo.InvariantCulture) + ", " + rate.GracePeriod + ")";

    /// <summary>The values are objects: comparers for each type would have to be compiled at the start.</summary>
    private void Take(string name, object? value, object? usual, Action set, Func<object?> get)
    {
        if (!Equals(value, usual))
        {
            Try(() =>
            {
                set();
                string text = value switch
                {
                    null => " = null",
                    Delegate => "",
                    _ => string.Create(CultureInfo.InvariantCulture, $" = {value}"),
                };
                _taken.Add(() => Equals(get(), value) ? name + text : null);
            });
        }
    }

    /// <summary>Runs code that the application wrote for another server. Exceptions are logged, not thrown.</summary>
    private void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception exception)
        {
            Failures.Add(exception);
        }
    }
}
