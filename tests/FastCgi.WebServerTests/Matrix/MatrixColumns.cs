using System.Collections.Immutable;
using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixReach;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>How a web server comes to the application.</summary>
internal enum MatrixReach
{
    /// <summary>It connects to the application's unix socket.</summary>
    Unix,

    /// <summary>It connects to the application's port.</summary>
    Tcp,

    /// <summary>It connects to the application's unix socket for SCGI.</summary>
    Scgi,

    /// <summary>It connects to the application's port for SCGI.</summary>
    ScgiTcp,

    /// <summary>It starts the application and passes it a listening socket.</summary>
    Started,
}

/// <summary>A web server, and how it comes to the application.</summary>
internal sealed record MatrixColumn(string Name, MatrixReach Reach, WebServerSample Sample) : Column(Name);

/// <summary>The columns, and groups of them that behave alike.</summary>
internal static class MatrixColumns
{
    public static ImmutableArray<MatrixColumn> Nginx { get; } =
    [
        new("nginx", Unix, new NginxSample()),
        new("nginx, TCP", Tcp, new NginxSample()),
        new("nginx, keep_conn off", Unix, new NginxSample(keepsConnections: false)),
        new("nginx, unbuffered", Unix, new NginxSample(buffers: false)),
    ];

    public static ImmutableArray<MatrixColumn> NginxScgi { get; } =
    [
        new("nginx, SCGI", MatrixReach.Scgi, new NginxScgiSample()),
        new("nginx, SCGI by TCP", ScgiTcp, new NginxScgiSample()),
    ];

    /// <summary>Where half of an answer cannot be told from a whole one.</summary>
    public static ImmutableArray<MatrixColumn> NginxScgiByUnix { get; } = [NginxScgi[0]];

    public static ImmutableArray<MatrixColumn> NginxUnbuffered { get; } = [Nginx[3]];

    public static ImmutableArray<MatrixColumn> NginxWithoutKeepConn { get; } = [Nginx[2]];

    public static ImmutableArray<MatrixColumn> ApacheProxy { get; } =
    [
        new("Apache proxy_fcgi", Unix, new ApacheProxySample()),
        new("Apache proxy_fcgi, TCP", Tcp, new ApacheProxySample()),
    ];

    public static ImmutableArray<MatrixColumn> ApacheFcgid { get; } =
        [new("Apache fcgid", Started, new ApacheFcgidSample())];

    public static ImmutableArray<MatrixColumn> Apache { get; } = [.. ApacheProxy, .. ApacheFcgid];

    public static ImmutableArray<MatrixColumn> Lighttpd { get; } =
    [
        new("lighttpd", Unix, new LighttpdSample()),
        new("lighttpd, TCP", Tcp, new LighttpdSample()),
        new("lighttpd bin-path", Started, new LighttpdSample()),
    ];

    public static ImmutableArray<MatrixColumn> Caddy { get; } =
    [
        new("Caddy", Unix, new CaddySample()),
        new("Caddy, TCP", Tcp, new CaddySample()),
    ];

    public static ImmutableArray<MatrixColumn> Haproxy { get; } =
    [
        new("HAProxy", Unix, new HaproxySample()),
        new("HAProxy, TCP", Tcp, new HaproxySample()),
        new("HAProxy mpxs-conns", Unix, new HaproxySample(multiplexes: true)),
    ];

    public static ImmutableArray<MatrixColumn> HaproxyMultiplexing { get; } = [Haproxy[2]];

    public static ImmutableArray<MatrixColumn> H2o { get; } =
    [
        new("h2o", Unix, new H2oSample()),
        new("h2o, TCP", Tcp, new H2oSample()),
    ];

    public static ImmutableArray<MatrixColumn> All { get; } =
        [.. Nginx, .. NginxScgi, .. Apache, .. Lighttpd, .. Caddy, .. Haproxy, .. H2o];

    public static MatrixColumn Named(string name) => All.Single(column => column.Name == name);
}
