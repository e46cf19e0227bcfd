namespace FastCgi.Tool.Configuration;

/// <summary>Refuses values that no file can contain, before one is written.</summary>
internal static class DeploymentCheck
{
    /// <summary>Characters that end a word or begin a block in the file of some web server.</summary>
    private const string Special = " \t\r\n\"';{}";

    /// <summary>As above, and characters that begin a comment, a variable or an escape.</summary>
    private const string SpecialInPaths = Special + "#$\\";

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

        // These files have both the plain port and the TLS port; the others have one port.
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

        foreach ((string place, string? value, string special) in ((string, string?, string)[])
            [
                ("the endpoint", settings.Endpoint.SocketPath, SpecialInPaths),
                // HAProxy interprets the value of set-param as a format.
                ("--path-base", settings.PathBase, SpecialInPaths + (server == "haproxy" ? "%" : "")),
                ("--certificate", settings.Certificate, SpecialInPaths),
                ("--key", settings.Key, SpecialInPaths),
                // nginx accepts expressions: ~^(www|shop)\.example\.com$.
                ("--server-name", settings.ServerName, server == "nginx" ? Special : SpecialInPaths),
            ])
        {
            if (value.AsSpan().IndexOfAny(special) is >= 0 and int index)
            {
                string character = char.IsWhiteSpace(value![index]) ? "a blank" : $"{value[index]}";
                throw Refused(
                    $"{place} '{value}' has {character}, which fcgi config does not write for {server}. Choose one " +
                    "without it.");
            }
        }
    }

    private static ToolException Refused(string message) => new(ExitCode.Usage, message);
}
