using System.Globalization;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// Kestrel's settings of an application. Those set in code are taken over, so that a published application keeps its
/// limits. The others are kept for the notices at the start.
/// </summary>
internal sealed class KestrelSettings
{
    private const string EndpointsSection = "Kestrel:Endpoints";

    private readonly List<(string Text, Func<bool> Holds)> _taken = [];

    private KestrelSettings()
    {
    }

    /// <summary>Name and value of each setting that was taken over, and that nothing has replaced since.</summary>
    public IEnumerable<string> Taken => from setting in _taken where setting.Holds() select setting.Text;

    /// <summary>Settings that this server does not have.</summary>
    public List<string> Ignored { get; } = [];

    /// <summary>Endpoints of code and configuration; this server does not listen on them.</summary>
    public List<string> Endpoints { get; } = [];

    /// <summary>The exceptions of the application's code.</summary>
    public List<Exception> Failures { get; } = [];

    /// <summary>Changes <paramref name="options"/> where Kestrel's are not their defaults; null without any.</summary>
    public static KestrelSettings? Read(IServiceProvider services, FastCgiServerOptions options)
    {
        IConfigureOptions<KestrelServerOptions>[] configures =
            [.. services.GetServices<IConfigureOptions<KestrelServerOptions>>()];
        var settings = new KestrelSettings();
        if (configures.Length > 0)
        {
            // Options of our own: those that Kestrel would get are left alone.
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

        settings.NameEndpoints(services.GetService<IConfiguration>());
        return configures.Length > 0 || settings.Endpoints.Count > 0 ? settings : null;
    }

    /// <summary>Endpoints of the section that Kestrel reads by default. They do nothing here.</summary>
    private void NameEndpoints(IConfiguration? configuration)
    {
        foreach (IConfigurationSection endpoint in configuration?.GetSection(EndpointsSection).GetChildren() ?? [])
        {
            Endpoints.Add($"{endpoint["Url"]} ({endpoint.Path})".TrimStart());
        }
    }

    private void TakeAll(KestrelServerOptions kestrel, KestrelServerOptions defaults, FastCgiServerOptions options)
    {
        KestrelServerLimits from = kestrel.Limits;
        KestrelServerLimits usual = defaults.Limits;
        FastCgiServerLimits to = options.Limits;
        Take(nameof(to.MaxRequestBodySize), from.MaxRequestBodySize, usual.MaxRequestBodySize,
            value => to.MaxRequestBodySize = value, () => to.MaxRequestBodySize);
        Take(nameof(to.MaxRequestBufferSize), from.MaxRequestBufferSize, usual.MaxRequestBufferSize,
            value => to.MaxRequestBufferSize = value, () => to.MaxRequestBufferSize);
        Take(nameof(to.MaxResponseBufferSize), from.MaxResponseBufferSize, usual.MaxResponseBufferSize,
            value => to.MaxResponseBufferSize = value, () => to.MaxResponseBufferSize);
        Take(nameof(to.MaxRequestHeadersTotalSize), from.MaxRequestHeadersTotalSize, usual.MaxRequestHeadersTotalSize,
            value => to.MaxRequestHeadersTotalSize = value, () => to.MaxRequestHeadersTotalSize);
        Take(nameof(to.MaxRequestHeaderCount), from.MaxRequestHeaderCount, usual.MaxRequestHeaderCount,
            value => to.MaxRequestHeaderCount = value, () => to.MaxRequestHeaderCount);
        Take(nameof(to.MaxRequestLineSize), from.MaxRequestLineSize, usual.MaxRequestLineSize,
            value => to.MaxRequestLineSize = value, () => to.MaxRequestLineSize);
        Take(nameof(to.MaxConcurrentConnections), from.MaxConcurrentConnections, usual.MaxConcurrentConnections,
            value => to.MaxConcurrentConnections = value, () => to.MaxConcurrentConnections);
        Take(nameof(to.MaxConcurrentUpgradedConnections), from.MaxConcurrentUpgradedConnections,
            usual.MaxConcurrentUpgradedConnections,
            value => to.MaxConcurrentUpgradedConnections = value, () => to.MaxConcurrentUpgradedConnections);
        Take(nameof(to.RequestHeadersTimeout), from.RequestHeadersTimeout, usual.RequestHeadersTimeout,
            value => to.RequestHeadersTimeout = value, () => to.RequestHeadersTimeout);
        Take(nameof(to.MinRequestBodyDataRate), Pair(from.MinRequestBodyDataRate), Pair(usual.MinRequestBodyDataRate),
            value => to.MinRequestBodyDataRate = value is { } rate ? new MinDataRate(rate.Bytes, rate.Grace) : null,
            () => Pair(to.MinRequestBodyDataRate));
        Take(nameof(to.MinResponseDataRate), Pair(from.MinResponseDataRate), Pair(usual.MinResponseDataRate),
            value => to.MinResponseDataRate = value is { } rate ? new MinDataRate(rate.Bytes, rate.Grace) : null,
            () => Pair(to.MinResponseDataRate));
        Take(nameof(to.KeepAliveTimeout), from.KeepAliveTimeout, usual.KeepAliveTimeout,
            value => to.KeepAliveTimeout = value, () => to.KeepAliveTimeout);
        Take(nameof(options.AllowSynchronousIO), kestrel.AllowSynchronousIO, defaults.AllowSynchronousIO,
            value => options.AllowSynchronousIO = value, () => options.AllowSynchronousIO);
        Take(nameof(options.DisableStringReuse), kestrel.DisableStringReuse, defaults.DisableStringReuse,
            value => options.DisableStringReuse = value, () => options.DisableStringReuse);
        Take(nameof(options.AddServerHeader), kestrel.AddServerHeader, defaults.AddServerHeader,
            value => options.AddServerHeader = value, () => options.AddServerHeader);
        Take(nameof(options.RequestHeaderEncodingSelector), kestrel.RequestHeaderEncodingSelector,
            defaults.RequestHeaderEncodingSelector,
            value => options.RequestHeaderEncodingSelector = value, () => options.RequestHeaderEncodingSelector);
        Take(nameof(options.ResponseHeaderEncodingSelector), kestrel.ResponseHeaderEncodingSelector,
            defaults.ResponseHeaderEncodingSelector,
            value => options.ResponseHeaderEncodingSelector = value, () => options.ResponseHeaderEncodingSelector);
    }

    /// <summary>Of HTTP between the client and Kestrel: the web server has such settings.</summary>
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
        Ignored.AddRange(from setting in settings where setting.IsSet select setting.Name);
    }

    private static (double Bytes, TimeSpan Grace)? Pair(MinDataRate? rate) =>
        rate is null ? null : (rate.BytesPerSecond, rate.GracePeriod);

    private void Take<T>(string name, T value, T usual, Action<T> set, Func<T> get)
    {
        if (!EqualityComparer<T>.Default.Equals(value, usual))
        {
            Try(() =>
            {
                set(value);
                string text = value switch
                {
                    null => " = null",
                    Delegate => "",
                    _ => string.Create(CultureInfo.InvariantCulture, $" = {value}"),
                };
                _taken.Add((name + text, () => EqualityComparer<T>.Default.Equals(get(), value)));
            });
        }
    }

    /// <summary>It is the application's code, written for another server: what it throws is said, not thrown.</summary>
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
