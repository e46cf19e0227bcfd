using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>lighttpd with the modules that the site names. Stays root where it is root.</summary>
internal sealed class LighttpdServer : IWebServerProgram
{
    public string Name => "lighttpd";

    public string StartedMessage => "server started";

    /// <param name="site">Further lines of the main file, which listens already.</param>
    public static Task<WebServer> StartAsync(string site) => WebServer.StartAsync(new LighttpdServer(), _ => site);

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) => ["-D", "-f", file];

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $"""
        server.document-root = "{directory.Subdirectory("root")}"
        server.upload-dirs = ( "{directory.Subdirectory("uploads")}" )
        server.bind = "{endPoint.Address}"
        server.port = {endPoint.Port}
        {site}

        """;
}
