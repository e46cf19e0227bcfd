namespace FastCgi.Tool.Configuration;

/// <summary>systemd: a service, and a socket for activation behind it.</summary>
internal static class SystemdWriter
{
    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate service = ConfigurationTemplate.Read("fastcgi-app.service");
        string folder = Path.GetDirectoryName(settings.Program) ?? "/";
        service.Replace("User=app", $"User={settings.User}").Replace("Group=www-data", $"Group={settings.Group}")
            .Replace("WorkingDirectory=/srv/app", $"WorkingDirectory={folder}")
            .Replace("ExecStart=/srv/app/App", $"ExecStart={Command(settings.Program)}")
            .Replace("StateDirectory=app", $"StateDirectory={settings.User}")
            .Replace("/var/lib/app", $"/var/lib/{settings.User}");
        SetEndpoint(service, settings);
        return settings.IsSocketActivated
            ? $"# app.service\n{service}\n# app.socket\n{Socket(settings)}"
            : service.ToString();
    }

    private static string Command(string program) =>
        program.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? $"/usr/bin/dotnet {program}" : program;

    private static void SetEndpoint(ConfigurationTemplate service, DeploymentSettings settings)
    {
        const string Variable = "Environment=FastCgi__Endpoints__Main__Url";
        string runtime = RuntimeDirectory(settings) ?? "";
        if (runtime.Length == 0 || settings.IsSocketActivated)
        {
            service.Remove("RuntimeDirectory=").Remove("RuntimeDirectoryMode=");
        }
        else
        {
            service.Replace("RuntimeDirectory=app", $"RuntimeDirectory={runtime}");
        }

        if (settings.IsSocketActivated)
        {
            service.Remove(Variable).Remove("Environment=FastCgi__Endpoints__Main__UnixMode");
        }
        else if (settings.IsTcp)
        {
            service.Replace(
                $"{Variable}=unix:{DeploymentSettings.DocumentedSocket}", $"{Variable}={settings.TcpAddress}")
                .Remove("Environment=FastCgi__Endpoints__Main__UnixMode");
        }
        else
        {
            service.Replace(DeploymentSettings.DocumentedSocket, settings.Endpoint.SocketPath!);
        }
    }

    /// <summary>The directory below /run that systemd makes; null if the socket lies elsewhere.</summary>
    private static string? RuntimeDirectory(DeploymentSettings settings)
    {
        string? folder = Path.GetDirectoryName(settings.Endpoint.SocketPath);
        return folder?.StartsWith("/run/", StringComparison.Ordinal) == true ? folder["/run/".Length..] : null;
    }

    private static string Socket(DeploymentSettings settings)
    {
        ConfigurationTemplate socket = ConfigurationTemplate.Read("fastcgi-app.socket")
            .Replace(
                "ListenStream=/run/app/app.sock", $"ListenStream={settings.Endpoint.SocketPath ?? settings.TcpAddress}")
            .Replace("fastcgi-app.service", "app.service");
        return settings.IsTcp
            ? socket.Remove("SocketUser=").Remove("SocketGroup=").Remove("SocketMode=").ToString()
            : socket.Replace("SocketUser=app", $"SocketUser={settings.User}")
                .Replace("SocketGroup=www-data", $"SocketGroup={settings.Group}").ToString();
    }
}
