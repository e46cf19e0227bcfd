namespace FastCgi.Tool.Configuration;

/// <summary>systemd: a socket, and the service that takes it.</summary>
internal static class SystemdWriter
{
    private const string ActivationSocket = "/run/fastcgi/app.sock";

    public static string Write(DeploymentSettings settings) =>
        $"# app.service\n{Service(settings)}\n# app.socket\n{Socket(settings)}";

    private static ConfigurationTemplate Service(DeploymentSettings settings)
    {
        string folder = Path.GetDirectoryName(settings.Program) ?? "/";
        return ConfigurationTemplate.Read("fastcgi-app.service")
            .Replace("fastcgi-app.socket", "app.socket")
            .Replace("User=app", $"User={settings.User}")
            .Replace("Group=app", $"Group={settings.User}")
            .Replace("WorkingDirectory=/srv/app", $"WorkingDirectory={folder}")
            .Replace("ExecStart=/srv/app/App", $"ExecStart={Command(settings.Program)}")
            .Replace("StateDirectory=app", $"StateDirectory={settings.User}")
            .Replace("/var/lib/app", $"/var/lib/{settings.User}");
    }

    private static string Command(string program) =>
        program.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? $"/usr/bin/dotnet {program}" : program;

    /// <summary>The name of the service is that of the socket, without a word about it.</summary>
    private static ConfigurationTemplate Socket(DeploymentSettings settings)
    {
        ConfigurationTemplate socket = ConfigurationTemplate.Read("fastcgi-app.socket").Replace(
            $"ListenStream={ActivationSocket}",
            $"ListenStream={settings.Endpoint.SocketPath ?? settings.TcpAddress}");
        return settings.IsTcp
            ? socket.Remove("SocketUser=").Remove("SocketGroup=").Remove("SocketMode=").Remove("DirectoryMode=")
                .Remove("RemoveOnStop=")
            : socket.Replace("SocketGroup=www-data", $"SocketGroup={settings.Group}");
    }
}
