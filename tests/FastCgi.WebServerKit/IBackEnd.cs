using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerKit;

/// <summary>A server for the application, and the lines by which nginx reaches it.</summary>
internal interface IBackEnd
{
    /// <summary>Makes the application listen on this unix socket and nowhere else.</summary>
    void Listen(IWebHostBuilder webHost, string socketPath);

    /// <summary>What an application needs in front of its own middleware to be right behind this web server.</summary>
    void UseFirst(WebApplication app);

    /// <summary>How many idle connections nginx keeps for each worker; null for none.</summary>
    int? Keepalive { get; }

    /// <summary>What stands inside <c>location / { }</c>, given the name of the upstream.</summary>
    string Location(string upstream, NginxSettings settings);

    static IBackEnd Of(BackEndKind kind) => kind switch
    {
        BackEndKind.FastCgi => new FastCgiBackEnd(keepConnections: true),
        BackEndKind.FastCgiWithoutKeepConn => new FastCgiBackEnd(keepConnections: false),
        BackEndKind.Scgi => new ScgiBackEnd(),
        BackEndKind.Kestrel => new KestrelBackEnd(),
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such back end."),
    };
}
