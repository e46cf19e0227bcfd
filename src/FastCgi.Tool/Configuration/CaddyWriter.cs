namespace FastCgi.Tool.Configuration;

/// <summary>Caddy: a Caddyfile.</summary>
internal static class CaddyWriter
{
    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate file = ConfigurationTemplate.Read("Caddyfile");
        // Caddy refuses TLS on port 80.
        string listen = settings.Listen ?? (settings.Certificate is null ? "80" : "443");
        bool hasAddress = listen.Contains(':', StringComparison.Ordinal);
        int colon = listen.LastIndexOf(':');
        string scheme = settings.Certificate is null ? "http" : "https";
        string site = settings is { ServerName: { } name, Listen: null }
            ? name
            : $"{scheme}://{settings.ServerName}:{listen[(colon + 1)..]}";
        file.Replace(":80 {", $"{site} {{");
        if (hasAddress)
        {
            file.AddBelow(site, $"\tbind {listen[..colon].Trim('[', ']')}");
        }

        string address = settings.IsTcp ? DeploymentSettings.DocumentedTcp : "unix/";
        if (settings.PathBase is { } path)
        {
            file.Remove("reverse_proxy unix").Enable("@app path").Enable($"reverse_proxy @app {address}")
                .Replace("@app path /app /app/*", $"@app path {path} {path}/*");
            if (!settings.KnowsPathBase)
            {
                file.Enable("env ASPNETCORE_PATHBASE").Replace(
                    "ASPNETCORE_PATHBASE /app", $"ASPNETCORE_PATHBASE {path}");
            }
        }
        else if (settings.IsTcp)
        {
            file.Remove("reverse_proxy unix").Enable("reverse_proxy 127");
        }

        file.ReplaceEndpoint(settings);
        if (settings.Certificate is { } certificate)
        {
            file.AddBelow(site, $"\ttls {certificate} {settings.Key}");
        }

        return file.ToString();
    }
}
