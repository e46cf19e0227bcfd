using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>h2o with one thread, because threads share no connections.</summary>
internal sealed class H2oServer : IWebServerProgram
{
    public string Name => "h2o";

    public string StartedMessage => "is ready to serve requests";

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) => ["-m", "worker", "-c", file];

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $"""
        num-threads: 1
        temp-buffer-path: {directory.Path}
        {site}

        """;
}
