using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// The section <c>FastCgi</c>. Plain values are applied when it is read, so that code has the last word; its endpoints
/// are added when the server starts, so that defaults set in code hold for them too.
/// </summary>
internal sealed class ServerSettings
{
    public const string SectionName = "FastCgi";

    private const string Url = "Url";

    private static readonly (string, Action<FastCgiListenOptions, Setting>)[] s_listenKeys =
    [
        (nameof(FastCgiListenOptions.AllowAnyClient),
            static (listen, value) => listen.AllowAnyClient = value.Boolean()),
        (nameof(FastCgiListenOptions.AllowedClients), static (listen, value) => Replace(listen.AllowedClients, value)),
        (nameof(FastCgiListenOptions.AllowUpgrade), static (listen, value) => listen.AllowUpgrade = value.Boolean()),
        (nameof(FastCgiListenOptions.Backlog), static (listen, value) => listen.Backlog = value.Integer()),
        (nameof(FastCgiListenOptions.FileHandover), static (listen, value) => ReplaceFileHandover(listen, value)),
        (nameof(FastCgiListenOptions.Protocol),
            static (listen, value) => listen.Protocol = value.OneOf<FastCgiEndpointProtocol>()),
        (nameof(FastCgiListenOptions.UnixGroup), static (listen, value) => listen.UnixGroup = value.TextOrNone()),
        (nameof(FastCgiListenOptions.UnixMode), static (listen, value) => listen.UnixMode = value.ModeOrNone()),
        (nameof(FastCgiListenOptions.UnixOwner), static (listen, value) => listen.UnixOwner = value.TextOrNone()),
    ];

    private static readonly SettingTable<FastCgiListenOptions> s_endpointDefaults = new(s_listenKeys);

    private static readonly SettingTable<FastCgiListenOptions> s_endpoint =
        new([.. s_listenKeys, (Url, static (_, _) => { })]);

    private static readonly SettingTable<FastCgiServerOptions> s_options = new(
        (nameof(FastCgiServerOptions.AddServerHeader),
            static (options, value) => options.AddServerHeader = value.Boolean()),
        (nameof(FastCgiServerOptions.AllowForwardedHeaders),
            static (options, value) => options.AllowForwardedHeaders = value.Boolean()),
        (nameof(FastCgiServerOptions.AllowSynchronousIO),
            static (options, value) => options.AllowSynchronousIO = value.Boolean()),
        (nameof(FastCgiServerOptions.ClientCertificateParameter),
            static (options, value) => options.ClientCertificateParameter = value.TextOrNone()),
        (nameof(FastCgiServerOptions.DisableStringReuse),
            static (options, value) => options.DisableStringReuse = value.Boolean()),
        (nameof(FastCgiServerOptions.ExitAboveMemory),
            static (options, value) => options.ExitAboveMemory = value.LongOrNone()),
        (nameof(FastCgiServerOptions.ExitAfterRequests),
            static (options, value) => options.ExitAfterRequests = value.LongOrNone()),
        (nameof(FastCgiServerOptions.ExitWhenIdleFor),
            static (options, value) => options.ExitWhenIdleFor = value.DurationOrNone()),
        (nameof(FastCgiServerOptions.PathBase),
            static (options, value) => options.PathBase = new PathString(value.TextOrNone())),
        (nameof(FastCgiServerOptions.PathBaseFromScriptName),
            static (options, value) => options.PathBaseFromScriptName = value.Boolean()),
        (nameof(FastCgiServerOptions.RequireNormalizedPath),
            static (options, value) => options.RequireNormalizedPath = value.Boolean()),
        (nameof(FastCgiServerOptions.SlowRequestAfter),
            static (options, value) => options.SlowRequestAfter = value.DurationOrNone()),
        (nameof(FastCgiServerOptions.TargetSource),
            static (options, value) => options.TargetSource = value.OneOf<FastCgiTargetSource>()),
        (nameof(FastCgiServerOptions.ThreadCount),
            static (options, value) => options.ThreadCount = value.IntegerOrNone()),
        (nameof(FastCgiServerOptions.TraceIdentifierParameter),
            static (options, value) => options.TraceIdentifierParameter = value.TextOrNone()),
        (nameof(FastCgiServerOptions.Transport),
            static (options, value) => options.Transport = value.OneOf<FastCgiTransport>()),
        (nameof(FastCgiServerOptions.Limits), static (_, value) => value.Section()),
        (nameof(FastCgiServerOptions.Status), static (_, value) => value.Section()),
        (nameof(EndpointDefaults), static (_, value) => value.Section()),
        (nameof(Endpoints), static (_, value) => value.Section()));

    private readonly IConfiguration _configuration;
    private readonly List<UnknownKey> _unknownKeys = [];

    private static readonly SettingTable<FastCgiServerLimits> s_limits = new(
        (nameof(FastCgiServerLimits.KeepAliveTimeout),
            static (limits, value) => limits.KeepAliveTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.MaxConcurrentConnections),
            static (limits, value) => limits.MaxConcurrentConnections = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxConcurrentRequests),
            static (limits, value) => limits.MaxConcurrentRequests = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxConcurrentRequestsPerConnection),
            static (limits, value) => limits.MaxConcurrentRequestsPerConnection = value.Integer()),
        (nameof(FastCgiServerLimits.MaxConcurrentUpgradedConnections),
            static (limits, value) => limits.MaxConcurrentUpgradedConnections = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestBodySize),
            static (limits, value) => limits.MaxRequestBodySize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestBufferSize),
            static (limits, value) => limits.MaxRequestBufferSize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MaxRequestHeaderCount),
            static (limits, value) => limits.MaxRequestHeaderCount = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestHeadersTotalSize),
            static (limits, value) => limits.MaxRequestHeadersTotalSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestLineSize),
            static (limits, value) => limits.MaxRequestLineSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestParameterCount),
            static (limits, value) => limits.MaxRequestParameterCount = value.Integer()),
        (nameof(FastCgiServerLimits.MaxRequestParametersTotalSize),
            static (limits, value) => limits.MaxRequestParametersTotalSize = value.Integer()),
        (nameof(FastCgiServerLimits.MaxResponseBufferSize),
            static (limits, value) => limits.MaxResponseBufferSize = value.LongOrNone()),
        (nameof(FastCgiServerLimits.MinRequestBodyDataRate),
            static (limits, value) => limits.MinRequestBodyDataRate =
                value.DataRateOrNone(limits.MinRequestBodyDataRate)),
        (nameof(FastCgiServerLimits.MinResponseDataRate),
            static (limits, value) => limits.MinResponseDataRate = value.DataRateOrNone(limits.MinResponseDataRate)),
        (nameof(FastCgiServerLimits.RequestBodyDrainTimeout),
            static (limits, value) => limits.RequestBodyDrainTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.RequestHeadersTimeout),
            static (limits, value) => limits.RequestHeadersTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.RequestTimeout),
            static (limits, value) => limits.RequestTimeout = value.Duration()),
        (nameof(FastCgiServerLimits.SendTimeout),
            static (limits, value) => limits.SendTimeout = value.Duration()));

    private static readonly SettingTable<FastCgiStatusOptions> s_status = new(
        (nameof(FastCgiStatusOptions.AllowedClients), static (status, value) => Replace(status.AllowedClients, value)),
        (nameof(FastCgiStatusOptions.Endpoint), static (status, value) => status.Endpoint = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.Path), static (status, value) => status.Path = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.PingPath), static (status, value) => status.PingPath = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixGroup), static (status, value) => status.UnixGroup = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixMode), static (status, value) => status.UnixMode = value.ModeOrNone()));

    private const string XAccelRedirect = "XAccelRedirect";
    private const string Directory = "Directory";
    private const string UriPrefix = "UriPrefix";

    // The section FileHandover of an endpoint: XAccelRedirect with a section, of any name, for each directory,
    // XSendfile with a list of directories, and RelayedHeaders.
    private static readonly SettingTable<FastCgiFileHandoverOptions> s_handover = new(
        (nameof(FastCgiFileHandoverOptions.RelayedHeaders),
            static (handover, value) => handover.RelayedHeaders.UnionWith(value.List())),
        (XAccelRedirect, static (_, value) => value.Section()),
        ("XSendfile", static (handover, value) => AddDirectories(handover, value)));

    private static readonly SettingTable<Dictionary<string, string?>> s_directory = new(
        (Directory, static (folder, value) => folder[Directory] = value.TextOrNone()),
        (UriPrefix, static (folder, value) => folder[UriPrefix] = value.TextOrNone()));

    private ServerSettings(IConfiguration configuration) => _configuration = configuration;

    /// <summary>Complete once the endpoints were added.</summary>
    public IReadOnlyList<UnknownKey> UnknownKeys => _unknownKeys;

    private IConfigurationSection EndpointDefaults => _configuration.GetSection(nameof(EndpointDefaults));

    private IConfigurationSection Endpoints => _configuration.GetSection(nameof(Endpoints));

    /// <exception cref="InvalidOperationException">A value cannot be used.</exception>
    public static ServerSettings Read(IConfiguration configuration, FastCgiServerOptions options)
    {
        var settings = new ServerSettings(configuration);
        s_options.Apply(configuration, options, settings._unknownKeys);
        s_limits.Apply(
            configuration.GetSection(nameof(FastCgiServerOptions.Limits)), options.Limits, settings._unknownKeys);
        s_status.Apply(
            configuration.GetSection(nameof(FastCgiServerOptions.Status)), options.Status, settings._unknownKeys);

        // Judged here, even when no endpoint will ask for them.
        var unused = new FastCgiListenOptions(handle: 0);
        Apply(s_endpointDefaults, settings.EndpointDefaults, unused, settings._unknownKeys);
        return settings;
    }

    public void ApplyEndpointDefaults(FastCgiListenOptions listen) =>
        Apply(s_endpointDefaults, EndpointDefaults, listen, new List<UnknownKey>());

    /// <exception cref="InvalidOperationException">A value cannot be used, or an endpoint has no Url.</exception>
    public void AddEndpoints(FastCgiServerOptions options)
    {
        foreach (IConfigurationSection endpoint in Endpoints.GetChildren())
        {
            var url = new Setting(endpoint.GetSection(Url));
            string address = url.TextOrNone() ?? throw url.Invalid("an address like fastcgi://unix:/run/app/app.sock");
            if (FastCgiAddress.IsHttp(address))
            {
                throw url.Invalid(
                    "an address like fastcgi://127.0.0.1:9000; this server speaks FastCGI and SCGI, not HTTP");
            }

            // One Url may be two endpoints (localhost); their keys are unknown once.
            int unknownBefore = _unknownKeys.Count;
            try
            {
                FastCgiAddress.Listen(options, address, listen =>
                {
                    _unknownKeys.RemoveRange(unknownBefore, _unknownKeys.Count - unknownBefore);
                    Apply(s_endpoint, endpoint, listen, _unknownKeys);
                });
            }
            catch (FormatException exception)
            {
                throw new InvalidOperationException(
                    $"The configuration value {endpoint.Path}:{Url} cannot be used. {exception.Message}", exception);
            }
        }
    }

    private static void Apply(
        SettingTable<FastCgiListenOptions> table,
        IConfigurationSection section,
        FastCgiListenOptions listen,
        ICollection<UnknownKey> unknown)
    {
        table.Apply(section, listen, unknown);
        ApplyHandover(
            section.GetSection(nameof(FastCgiListenOptions.FileHandover)), listen.FileHandover, unknown);
    }

    private static void ReplaceFileHandover(FastCgiListenOptions listen, Setting value)
    {
        // An endpoint's own section takes the place of the default one. Its keys are read after this.
        value.Section();
        listen.FileHandover.Clear();
    }

    /// <summary>An endpoint's own list takes the place of the default one.</summary>
    private static void Replace(IList<IPNetwork> clients, Setting value)
    {
        clients.Clear();
        foreach (IPNetwork client in value.Networks())
        {
            clients.Add(client);
        }
    }

    private static void ApplyHandover(
        IConfiguration section, FastCgiFileHandoverOptions handover, ICollection<UnknownKey> unknown)
    {
        s_handover.Apply(section, handover, unknown);
        foreach (IConfigurationSection child in section.GetSection(XAccelRedirect).GetChildren())
        {
            var folder = new Dictionary<string, string?>();
            s_directory.Apply(child, folder, unknown);
            string directory = folder.GetValueOrDefault(Directory)
                ?? throw Missing(child, Directory, "an absolute path");
            string prefix = folder.GetValueOrDefault(UriPrefix)
                ?? throw Missing(child, UriPrefix, "a prefix like /_files/");
            SettingTable<FastCgiFileHandoverOptions>.Apply(
                (to, _) => to.AddXAccelRedirect(directory, prefix), handover, new Setting(child));
        }
    }

    private static void AddDirectories(FastCgiFileHandoverOptions handover, Setting value)
    {
        foreach (string directory in value.List())
        {
            handover.AddXSendfile(directory);
        }
    }

    private static InvalidOperationException Missing(IConfigurationSection child, string name, string accepted) =>
        new Setting(child.GetSection(name)).Invalid(accepted);
}
