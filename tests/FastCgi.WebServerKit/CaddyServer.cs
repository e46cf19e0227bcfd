using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>Caddy. It serves nothing but the site: no other port, no certificates of its own, no interface to control it.</summary>
internal sealed class CaddyServer : IWebServerProgram
{
    public string Name => "caddy";

    public string StartedMessage => "serving initial configuration";

    public IEnumerable<string> Arguments(WorkDirectory directory, string file) =>
        ["run", "--config", file, "--adapter", "caddyfile"];

    public IReadOnlyDictionary<string, string> Environment(WorkDirectory directory) => new Dictionary<string, string>
    {
        ["HOME"] = directory.Path,
        ["XDG_CONFIG_HOME"] = directory.Path,
        ["XDG_DATA_HOME"] = directory.Path,
    };

    public string Configure(WorkDirectory directory, IPEndPoint endPoint, string site) => $$"""
        {
            admin off
            auto_https off
        }
        {{site}}

        """;
}
