using FastCgi.Protocol;
using Limits = FastCgi.AspNetCore.FastCgiServerLimits;
using Listen = FastCgi.AspNetCore.FastCgiListenOptions;
using Options = FastCgi.AspNetCore.FastCgiServerOptions;
using Status = FastCgi.AspNetCore.FastCgiStatusOptions;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// The section <c>FastCgi</c>. Plain values are applied when it is read, so that code can override them. Its endpoints
/// are added when the server starts, so that they get the defaults set in code.
/// </summary>
internal sealed class ServerSettings
{
    public const string SectionName = "FastCgi";

    private const string Url = "Url";

    private static readonly (string, Action<FastCgiListenOptions, Setting>)[] s_listenKeys =
    [
        (nameof(Listen.AllowAnyClient), static (to, value) => to.AllowAnyClient = value.Boolean()),
        (nameof(Listen.AllowedClients), static (to, value) => Replace(to.AllowedClients, value)),
        (nameof(Listen.AllowUpgrade), static (to, value) => to.AllowUpgrade = value.Boolean()),
        (nameof(Listen.Backlog), static (to, value) => to.Backlog = value.Integer()),
        (nameof(Listen.FileHandover), static (to, value) => ReplaceFileHandover(to, value)),
        (nameof(Listen.Protocol), static (to, value) => to.Protocol = value.OneOf<FastCgiEndpointProtocol>()),
        (nameof(Listen.UnixGroup), static (to, value) => to.UnixGroup = value.TextOrNone()),
        (nameof(Listen.UnixMode), static (to, value) => to.UnixMode = value.ModeOrNone()),
        (nameof(Listen.UnixOwner), static (to, value) => to.UnixOwner = value.TextOrNone()),
    ];

    private static readonly SettingTable<FastCgiListenOptions> s_endpointDefaults = new(s_listenKeys);

    private static readonly SettingTable<FastCgiListenOptions> s_endpoint =
        new([.. s_listenKeys, (Url, static (_, _) => { })]);

    private static readonly SettingTable<FastCgiServerOptions> s_options = new(
        (nameof(Options.AddServerHeader), static (to, value) => to.AddServerHeader = value.Boolean()),
        (nameof(Options.AllowForwardedHeaders), static (to, value) => to.AllowForwardedHeaders = value.Boolean()),
        (nameof(Options.AllowSynchronousIO), static (to, value) => to.AllowSynchronousIO = value.Boolean()),
        (nameof(Options.ClientCertificateParameter),
            static (to, value) => to.ClientCertificateParameter = value.TextOrNone()),
        (nameof(Options.DisableStringReuse), static (to, value) => to.DisableStringReuse = value.Boolean()),
        (nameof(Options.ExitAboveMemory), static (to, value) => to.ExitAboveMemory = value.LongOrNone()),
        (nameof(Options.ExitAfterRequests), static (to, value) => to.ExitAfterRequests = value.LongOrNone()),
        (nameof(Options.ExitWhenIdleFor), static (to, value) => to.ExitWhenIdleFor = value.DurationOrNone()),
        (nameof(Options.PathBase), static (to, value) => to.PathBase = new PathString(value.TextOrNone())),
        (nameof(Options.PathBaseFromScriptName), static (to, value) => to.PathBaseFromScriptName = value.Boolean()),
        (nameof(Options.RequireNormalizedPath), static (to, value) => to.RequireNormalizedPath = value.Boolean()),
        (nameof(Options.SlowRequestAfter), static (to, value) => to.SlowRequestAfter = value.DurationOrNone()),
        (nameof(Options.TargetSource), static (to, value) => to.TargetSource = value.OneOf<FastCgiTargetSource>()),
        (nameof(Options.ThreadCount), static (to, value) => to.ThreadCount = value.IntegerOrNone()),
        (nameof(Options.TraceIdentifierParameter),
            static (to, value) => to.TraceIdentifierParameter = value.TextOrNone()),
        (nameof(Options.Transport), static (to, value) => to.Transport = value.OneOf<FastCgiTransport>()),
        (nameof(Options.Limits), static (_, value) => value.Section()),
        (nameof(Options.Status), static (_, value) => value.Section()),
        (nameof(EndpointDefaults), static (_, value) => value.Section()),
        (nameof(Endpoints), static (_, value) => value.Section()));

    private readonly IConfiguration _configuration;
    private readonly List<UnknownKey> _unknownKeys = [];

    private static readonly SettingTable<FastCgiServerLimits> s_limits = new(
        (nameof(Limits.KeepAliveTimeout), static (to, value) => to.KeepAliveTimeout = value.Duration()),
        (nameof(Limits.MaxConcurrentConnections),
            static (to, value) => to.MaxConcurrentConnections = value.LongOrNone()),
        (nameof(Limits.MaxConcurrentRequests), static (to, value) => to.MaxConcurrentRequests = value.LongOrNone()),
        (nameof(Limits.MaxConcurrentRequestsPerConnection),
            static (to, value) => to.MaxConcurrentRequestsPerConnection = value.Integer()),
        (nameof(Limits.MaxConcurrentUpgradedConnections),
            static (to, value) => to.MaxConcurrentUpgradedConnections = value.LongOrNone()),
        (nameof(Limits.MaxRequestBodySize), static (to, value) => to.MaxRequestBodySize = value.LongOrNone()),
        (nameof(Limits.MaxRequestBufferSize), static (to, value) => to.MaxRequestBufferSize = value.LongOrNone()),
        (nameof(Limits.MaxRequestHeaderCount), static (to, value) => to.MaxRequestHeaderCount = value.Integer()),
        (nameof(Limits.MaxRequestHeadersTotalSize),
            static (to, value) => to.MaxRequestHeadersTotalSize = value.Integer()),
        (nameof(Limits.MaxRequestLineSize), static (to, value) => to.MaxRequestLineSize = value.Integer()),
        (nameof(Limits.MaxRequestParameterCount), static (to, value) => to.MaxRequestParameterCount = value.Integer()),
        (nameof(Limits.MaxRequestParametersTotalSize),
            static (to, value) => to.MaxRequestParametersTotalSize = value.Integer()),
        (nameof(Limits.MaxResponseBufferSize), static (to, value) => to.MaxResponseBufferSize = value.LongOrNone()),
        (nameof(Limits.MinRequestBodyDataRate),
            static (to, value) => to.MinRequestBodyDataRate = value.DataRateOrNone(to.MinRequestBodyDataRate)),
        (nameof(Limits.MinResponseDataRate),
            static (to, value) => to.MinResponseDataRate = value.DataRateOrNone(to.MinResponseDataRate)),
        (nameof(Limits.RequestBodyDrainTimeout), static (to, value) => to.RequestBodyDrainTimeout = value.Duration()),
        (nameof(Limits.RequestHeadersTimeout), static (to, value) => to.RequestHeadersTimeout = value.Duration()),
        (nameof(Limits.RequestTimeout), static (to, value) => to.RequestTimeout = value.Duration()),
        (nameof(Limits.SendTimeout), static (to, value) => to.SendTimeout = value.Duration()));

    private static readonly SettingTable<FastCgiStatusOptions> s_status = new(
        (nameof(Status.AllowedClients), static (to, value) => Replace(to.AllowedClients, value)),
        (nameof(Status.Endpoint), static (to, value) => to.Endpoint = value.TextOrNone()),
        (nameof(Status.Path), static (to, value) => to.Path = value.TextOrNone()),
        (nameof(Status.PingPath), static (to, value) => to.PingPath = value.TextOrNone()),
        (nameof(Status.UnixGroup), static (to, value) => to.UnixGroup = value.TextOrNone()),
        (nameof(Status.UnixMode), static (to, value) => to.UnixMode = value.ModeOrNone()));

    private const string XAccelRedirect = "XAccelRedirect";
    private const string Directory = "Directory";
    private const string UriPrefix = "UriPrefix";

    // The section FileHandover of an endpoint: XAccelRedirect with a section, of any name, for each directory,
    // XSendfile with a list of directories, and RelayedHeaders.
    private static readonly SettingTable<FastCgiFileHandoverOptions> s_handover = new(
        (nameof(FastCgiFileHandoverOptions.RelayedHeaders),
            static (handover, value) => handover.RelayedHeaders.UnionWith(value.List())),
        (XAccelRedirect, static (_, value) => value.Section()),
        ("XSendfile", static (handover, value) => value.List().ToList().ForEach(handover.AddXSendfile)));

    private static readonly SettingTable<Dictionary<string, string?>> s_directory = new(
        (Directory, static (folder, value) => folder[Directory] = value.TextOrNone()),
        (UriPrefix, static (folder, value) => folder[UriPrefix] = value.TextOrNone()));

    private ServerSettings(IConfiguration configuration) => _configuration = configuration;

    /// <summary>Complete after the endpoints were added.</summary>
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

        // Checked here, even if no endpoint will use them.
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

            // One Url may be two endpoints (localhost). Their unknown keys are reported once.
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
        // An endpoint's own section replaces the default one. Its keys are read after this.
        value.Section();
        listen.FileHandover.Clear();
    }

    /// <summary>An endpoint's own list replaces the default one.</summary>
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

    private static InvalidOperationException Missing(IConfigurationSection child, string name, string accepted) =>
        new Setting(child.GetSection(name)).Invalid(accepted);
}
