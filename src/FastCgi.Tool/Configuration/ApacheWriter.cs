namespace FastCgi.Tool.Configuration;

/// <summary>Apache: a file for sites-available, with mod_proxy_fcgi.</summary>
internal static class ApacheWriter
{
    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate file = ConfigurationTemplate.Read("apache-proxy_fcgi.conf");
        string name = settings.ServerName ?? "";
        if (name.Length > 0)
        {
            // Apache refuses a pattern as ServerName.
            string directive = name.AsSpan().ContainsAny('*', '?') ? "ServerAlias" : "ServerName";
            file.Replace($"ServerName {DeploymentSettings.DocumentedName}", $"{directive} {name}");
        }
        else
        {
            file.Remove("ServerName ");
        }

        string path = settings.PathBase ?? "/";
        string form = settings.PathBase is null ? "ProxyPass \"/\"" : "ProxyPass \"/app\"";
        file.Remove("ProxyPass \"/\" \"unix:").Enable($"{form} \"{(settings.IsTcp ? "fcgi" : "unix")}:");
        if (settings.PathBase is not null)
        {
            file.Replace("ProxyPass \"/app\"", $"ProxyPass \"{path}\"")
                .Replace(
                    settings.IsTcp ? ":9000/app\"" : "fcgi://app/app\"",
                    settings.IsTcp ? $":9000{path}\"" : $"fcgi://app{path}\"");
            if (!settings.KnowsPathBase)
            {
                file.Enable("SetEnv ASPNETCORE_PATHBASE").Replace(
                    "ASPNETCORE_PATHBASE /app", $"ASPNETCORE_PATHBASE {path}");
            }
        }

        file.ReplaceEndpoint(settings);

        // After the endpoint, because the site may listen on the documented address of the application.
        string listen = settings.Listen ?? (settings.Certificate is null ? "80" : "443");
        file.Replace("*:80", listen.Contains(':', StringComparison.Ordinal) ? listen : $"*:{listen}");
        if (settings.ListenPort is not ("80" or "443"))
        {
            file.AddComment(
                "<VirtualHost ",
                $"Apache opens this port only with this line in /etc/apache2/ports.conf: Listen {listen}");
        }

        if (settings.Certificate is not null)
        {
            file.Enable("SSLEngine on", "SSLCertificateKeyFile").ReplaceCertificate(settings);
        }

        return file.ToString();
    }
}
