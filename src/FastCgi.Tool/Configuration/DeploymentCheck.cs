using System.Buffers;

namespace FastCgi.Tool.Configuration;

/// <summary>Refuses what no file can say, before one is written.</summary>
internal static class DeploymentCheck
{
    /// <summary>Characters that end a word, or begin a block, in the file of some web server.</summary>
    private static readonly SearchValues<char> s_special = SearchValues.Create(" \t\r\n\"';{}");

    /// <exception cref="ToolException">A value cannot be written.</exception>
    public static void ForEverybody(DeploymentSettings settings)
    {
        if (settings.Endpoint is { SocketPath: null, Port: 0 } endpoint)
        {
            string text = endpoint.Descriptor is { } descriptor ? $"fd:{descriptor}" : $"{endpoint.Host}:0";
            throw Refused(
                $"the endpoint '{text}' does not say where the application can be reached. Give that with " +
                $"--endpoint, for example --endpoint unix:/run/{settings.Site}/app.sock for a socket of systemd.");
        }
    }

    /// <exception cref="ToolException">A value cannot be written.</exception>
    public static void ForWebServer(string server, DeploymentSettings settings)
    {
        if (settings.IsScgi && server != "nginx")
        {
            throw Refused(
                $"the endpoint speaks SCGI, and fcgi config writes that for nginx only. Give {server} a FastCGI " +
                "endpoint with --endpoint or --name.");
        }

        if (server == "lighttpd" && settings.Listen is not null)
        {
            throw Refused(
                $"--listen {settings.Listen} has no place in this file: set server.port in lighttpd's main file.");
        }

        if (server is "lighttpd" or "haproxy" && settings.ServerName is not null)
        {
            throw Refused(
                $"--server-name '{settings.ServerName}' has no place in this file: {server} serves every name with " +
                "it. Leave the option out, and write a condition for the name yourself.");
        }

        // Their files have the plain port and the one of TLS; those of the others have one port.
        if (server is "nginx" or "haproxy" or "h2o"
            && settings.Certificate is not null
            && settings.ListenPort == "443")
        {
            throw Refused(
                $"--listen {settings.Listen} is the port without TLS, and --certificate adds port 443. Leave " +
                "--listen out, or give another port.");
        }

        if (settings.Endpoint.SocketPath is ['\0', .. string name])
        {
            throw Refused(
                $"the endpoint '@{name}' is an abstract socket, and fcgi config writes sockets with a path only. " +
                "Give one with --endpoint.");
        }

        foreach ((string place, string? value) in ((string, string?)[])
            [
                ("the endpoint", settings.Endpoint.SocketPath), ("--path-base", settings.PathBase),
                ("--certificate", settings.Certificate), ("--key", settings.Key),
                ("--server-name", settings.ServerName),
            ])
        {
            if (value.AsSpan().ContainsAny(s_special))
            {
                throw Refused(
                    $"{place} '{value}' has a blank, a quote, a semicolon or a brace, which fcgi config does not " +
                    "write. Choose one without them.");
            }
        }
    }

    private static ToolException Refused(string message) => new(ExitCode.Usage, message);
}
