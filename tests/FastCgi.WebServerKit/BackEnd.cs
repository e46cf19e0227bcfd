using System.Reflection;
using FastCgi.Protocol;
using Microsoft.AspNetCore.HttpOverrides;
using Xunit.Sdk;
using Xunit.v3;

namespace FastCgi.WebServerKit;

/// <summary>How the application is reached by nginx; names the case in a test's display name.</summary>
public enum BackEndKind
{
    /// <summary>Our server behind <c>fastcgi_pass</c>, with <c>fastcgi_keep_conn on</c>.</summary>
    FastCgi,

    /// <summary>Our server behind <c>fastcgi_pass</c>, with a connection for each request, nginx's default.</summary>
    FastCgiWithoutKeepConn,

    /// <summary>Our server behind <c>scgi_pass</c>.</summary>
    Scgi,

    /// <summary>Kestrel behind <c>proxy_pass</c>: what people have today, so a test cannot ask for too much.</summary>
    Kestrel,
}

/// <summary>Runs a theory once for each of these ways to the application; all of them when none is named.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BackEndsAttribute(params BackEndKind[] kinds) : DataAttribute
{
    public IReadOnlyList<BackEndKind> Kinds { get; } = kinds is [] ? Enum.GetValues<BackEndKind>() : kinds;

    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(
        MethodInfo testMethod, DisposalTracker disposalTracker) =>
        new([.. Kinds.Select(kind => new TheoryDataRow<BackEndKind>(kind))]);

    public override bool SupportsDiscoveryEnumeration() => true;
}

/// <summary>What tests vary in the configuration of nginx. The defaults are nginx's own.</summary>
internal sealed record NginxSettings
{
    public static NginxSettings Default { get; } = new();

    /// <summary>nginx reads the whole request body before it asks the application.</summary>
    public bool BuffersRequests { get; init; } = true;

    public bool BuffersResponses { get; init; } = true;

    /// <summary>Room for the response head; null means 32 KiB, as the documentation recommends.</summary>
    public string? ResponseHeadBuffer { get; init; }

    /// <summary>TLS between client and nginx, with a certificate made for the run.</summary>
    public bool IsEncrypted { get; init; }

    /// <summary>Further lines before the server; <c>fastcgi_</c> becomes the back end's module.</summary>
    public string Http { get; init; } = "";

    /// <summary>Further lines for the location, as <see cref="Http"/>.</summary>
    public string More { get; init; } = "";
}

/// <summary>A server for the application, and the lines by which nginx reaches it.</summary>
/// <param name="Module">With what nginx' directives begin.</param>
/// <param name="Listen">Makes the application listen on this unix socket and nowhere else.</param>
/// <param name="Pass">
/// What stands inside <c>location / { }</c> as the documentation recommends it, given the name of the upstream.
/// </param>
internal sealed record BackEnd(string Module, Action<IWebHostBuilder, string> Listen, Func<string, string> Pass)
{
    public static BackEnd FastCgi { get; } = new(
        "fastcgi",
        static (webHost, socketPath) => webHost.UseFastCgi(options => options.ListenUnixSocket(socketPath)),
        static upstream => $"""
            include /etc/nginx/fastcgi_params;
            fastcgi_param HTTP_HOST $host$host_port;
            fastcgi_param REMOTE_USER "";
            fastcgi_pass {upstream};
            fastcgi_keep_conn on;
            """)
    {
        Keepalive = 64,
    };

    public static BackEnd FastCgiWithoutKeepConn { get; } = FastCgi with
    {
        Keepalive = null,
        Pass = static upstream =>
            FastCgi.Pass(upstream).Replace("keep_conn on", "keep_conn off", StringComparison.Ordinal),
    };

    public static BackEnd Scgi { get; } = new(
        "scgi",
        static (webHost, socketPath) => webHost.UseFastCgi(options => options.ListenUnixSocket(
            socketPath, static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi)),
        static upstream => $"""
            include /etc/nginx/scgi_params;
            scgi_param HTTP_HOST $host$host_port;
            scgi_pass {upstream};
            scgi_read_timeout 1h;
            """);

    /// <summary>With the headers and the middleware that are usual for it.</summary>
    public static BackEnd Kestrel { get; } = new(
        "proxy",
        static (webHost, socketPath) => webHost.UseKestrel(options => options.ListenUnixSocket(socketPath)),
        static upstream => $"""
            proxy_pass http://{upstream};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host$host_port;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            """)
    {
        Keepalive = 64,
        UseFirst = static app => app.UseForwardedHeaders(new ForwardedHeadersOptions
        {
            ForwardedHeaders = ForwardedHeaders.XForwardedFor | ForwardedHeaders.XForwardedProto,
        }),
    };

    /// <summary>How many idle connections nginx keeps for each worker; null for none.</summary>
    public int? Keepalive { get; private init; }

    /// <summary>What an application needs in front of its own middleware to be right behind this web server.</summary>
    public Action<WebApplication>? UseFirst { get; init; }

    public static BackEnd Of(BackEndKind kind) => kind switch
    {
        BackEndKind.FastCgi => FastCgi,
        BackEndKind.FastCgiWithoutKeepConn => FastCgiWithoutKeepConn,
        BackEndKind.Scgi => Scgi,
        BackEndKind.Kestrel => Kestrel,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such back end."),
    };

    /// <summary>Starts nginx with one server that passes every request to the application's sockets.</summary>
    public Task<WebServer> StartNginxAsync(params IReadOnlyList<string> sockets) =>
        StartNginxAsync(NginxSettings.Default, sockets);

    /// <inheritdoc cref="StartNginxAsync(IReadOnlyList{string})"/>
    public Task<WebServer> StartNginxAsync(NginxSettings settings, params IReadOnlyList<string> sockets) =>
        WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            {{InModule(settings.Http)}}
            {{Upstream(sockets)}}
            server {
                listen {{endPoint}} {{(settings.IsEncrypted ? "ssl " : "")}}backlog=1024;
                {{(settings.IsEncrypted ? TestCertificate.NginxLines : "")}}
                server_name _;
                client_max_body_size 0;
                large_client_header_buffers 8 16k;
                location / {
                    {{Location(settings)}}
                }
            }
            """);

    /// <summary>The <c>upstream app</c> of these sockets.</summary>
    public string Upstream(params IReadOnlyList<string> sockets) => $$"""
        upstream app {
            {{string.Concat(sockets.Select(static socket => $"server unix:{socket};"))}}
            {{(Keepalive is { } count ? $"keepalive {count};" : "")}}
        }
        """;

    /// <summary>What stands inside a location that passes its requests to the upstream.</summary>
    public string Location(NginxSettings settings) => $"""
        {Pass("app")}
        {Module}_request_buffering {OnOff(settings.BuffersRequests)};
        {Module}_buffering {OnOff(settings.BuffersResponses)};
        {Module}_buffer_size {settings.ResponseHeadBuffer ?? "32k"};
        {Module}_buffers 16 32k;
        {InModule(settings.More)}
        """;

    private string InModule(string lines) => lines.Replace("fastcgi_", $"{Module}_", StringComparison.Ordinal);

    private static string OnOff(bool value) => value ? "on" : "off";
}
