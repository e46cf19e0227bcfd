using FastCgi.Protocol;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// The section <c>FastCgi</c>. Plain values are applied when it is read, so that code has the last word; its endpoints
/// are added when the server starts, so that defaults set in code hold for them too.
/// </summary>
internal sealed partial class ServerSettings
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
}
