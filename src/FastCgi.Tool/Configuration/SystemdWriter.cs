using System.Net;

namespace FastCgi.Tool.Configuration;

/// <summary>systemd: a socket, and the service that uses it.</summary>
internal static class SystemdWriter
{
    private const string ActivationSocket = "/run/fastcgi/app.sock";

    public static IReadOnlyList<ConfigurationFile> Write(DeploymentSettings settings) =>
    [
        new($"{settings.Site}.service", Service(settings).ToString()),
        new($"{settings.Site}.socket", Socket(settings).ToString()),
    ];

    private static ConfigurationTemplate Service(DeploymentSettings settings)
    {
        if (!settings.Program.StartsWith('/')
            || settings.Program.Any(static letter => char.IsControl(letter) || letter is '"' or '\'' or '\\'))
        {
            throw ToolException.Usage(
                $"--program '{settings.Program}' is no full path, or has quotes, which systemd refuses. Write it " +
                "like /srv/app/App.");
        }

        string folder = Path.GetDirectoryName(settings.Program) ?? "/";
        string user = settings.User;
        return ConfigurationTemplate.Read("fastcgi-app.service")
            .ReplaceHead(
                $"/etc/systemd/system/{settings.Site}.service: an ASP.NET Core application behind a web server.",
                $"Make its user with 'adduser --system --group --no-create-home {user}'. It must not be in the",
                $"web server's group. {settings.Site}.socket starts it: enable that one.")
            .Replace("fastcgi-app.socket", $"{settings.Site}.socket")
            .Replace("User=app", $"User={user}")
            .Replace("Group=app", $"Group={user}")
            .Replace("WorkingDirectory=/srv/app", $"WorkingDirectory={Escape(folder)}")
            .Replace("ExecStart=/srv/app/App", $"ExecStart={Command(settings.Program)}")
            .Replace("StateDirectory=app", $"StateDirectory={user}")
            .Replace("HOME=/var/lib/app", $"HOME=/var/lib/{user}");
    }

    /// <summary>systemd replaces variables only in arguments.</summary>
    private static string Command(string program) =>
        program.EndsWith(".dll", StringComparison.OrdinalIgnoreCase)
            ? $"/usr/bin/dotnet {Word(program.Replace("$", "$$", StringComparison.Ordinal))}"
            : Word(program);

    private static string Word(string text) =>
        Escape(text.Contains(' ', StringComparison.Ordinal) ? $"\"{text}\"" : text);

    /// <summary>% begins a specifier in every setting.</summary>
    private static string Escape(string text) => text.Replace("%", "%%", StringComparison.Ordinal);

    private static string Listen(DeploymentSettings settings) => settings.Endpoint switch
    {
        { SocketPath: ['\0', .. string name] } => $"@{name}",
        { SocketPath: { } path } => path,
        // A port without an address listens on every address.
        { Host: "*" or "+", Port: int port } => port.ToString(CultureInfo.InvariantCulture),
        { Host: string host, Port: int port } =>
            $"{Numeric(host, port)}:{port.ToString(CultureInfo.InvariantCulture)}",
        _ => throw new InvalidOperationException("An inherited descriptor has no address."),
    };

    /// <summary>systemd resolves no names, and accepts no short forms such as 127.1.</summary>
    private static string Numeric(string host, int port)
    {
        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            return "127.0.0.1";
        }

        return IPAddress.TryParse(host, out IPAddress? address) && (host[0] == '[' || address.ToString() == host)
            ? host
            : throw ToolException.Usage(
                $"the endpoint '{host}:{port}' has a name, and systemd listens on numeric addresses only. Give " +
                $"one of this machine, for example --endpoint 127.0.0.1:{port}.");
    }

    /// <summary>Writes the socket unit, which starts the service with the same name.</summary>
    private static ConfigurationTemplate Socket(DeploymentSettings settings)
    {
        ConfigurationTemplate socket = ConfigurationTemplate.Read("fastcgi-app.socket")
            .ReplaceHead(
                $"/etc/systemd/system/{settings.Site}.socket: systemd makes the socket and passes it to the",
                "application, so requests wait in it while the application starts or restarts.",
                $"'systemctl enable --now {settings.Site}.socket' starts the application with its first request.")
            .Replace(
                $"ListenStream={ActivationSocket}",
                $"ListenStream={Escape(Listen(settings))}");
        return settings.IsTcp
            ? socket.Remove("SocketUser=").Remove("SocketGroup=").Remove("SocketMode=").Remove("DirectoryMode=")
                .Remove("RemoveOnStop=")
            : socket.Replace("SocketUser=app", $"SocketUser={settings.User}")
                .Replace("SocketGroup=www-data", $"SocketGroup={settings.Group}");
    }
}
