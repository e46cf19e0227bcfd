namespace FastCgi.Tool.Configuration;

/// <summary>h2o: h2o.conf.</summary>
internal static class H2oWriter
{
    /// <summary>The default limit of a body in h2o.</summary>
    private const long DefaultBody = 1024 * 1024 * 1024;

    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate file = ConfigurationTemplate.Read("h2o.yaml");
        // First, while the endpoint below is switched off, because its port may begin with 80 too.
        file.Replace("  port: 80", $"  port: {settings.ListenPort}");
        int colon = settings.ListenAddress.LastIndexOf(':');
        if (colon >= 0)
        {
            file.AddBelow("port: ", $"host: \"{settings.ListenAddress[..colon].Trim('[', ']')}\"");
        }

        if (settings.IsTcp)
        {
            string port = settings.Endpoint.Port.ToString(CultureInfo.InvariantCulture);
            file.Remove("port: /run/app/app.sock").Remove("type: unix").Enable("host: 127.0.0.1", "type: tcp")
                .Replace("host: 127.0.0.1", $"host: \"{settings.BareHost}\"")
                .Replace("          port: 9000", $"          port: {port}");
        }
        else
        {
            file.Replace(DeploymentSettings.DocumentedSocket, settings.Endpoint.SocketPath!);
        }

        // h2o has a limit even if the application has none.
        if (settings.MaxRequestBodySize is { } limit && (limit.Bytes ?? long.MaxValue) is > DefaultBody and var size)
        {
            file.Enable("limit-request-body:")
                .Replace(
                    "limit-request-body: 1073741824",
                    string.Create(CultureInfo.InvariantCulture, $"limit-request-body: {size}"))
                .ReplaceInComments(
                    "Bodies above 1 GiB are a 413; the application has its own MaxRequestBodySize.",
                    "The largest body: as much as the application's MaxRequestBodySize; h2o's own is 1 GiB.");
        }

        if (settings.PathBase is { } path)
        {
            file.Replace("\"/\":", $"\"{path}\":");
            if (!settings.KnowsPathBase)
            {
                file.Enable("setenv:", "  ASPNETCORE_PATHBASE").Replace(
                    "ASPNETCORE_PATHBASE: /app", $"ASPNETCORE_PATHBASE: {path}");
            }
        }

        if (settings.Certificate is not null)
        {
            file.Enable("listen:", "    key-file").ReplaceCertificate(settings);
        }

        if (settings.ServerName is { } name)
        {
            file.Replace("  default:", $"  \"{name}\":");
        }

        return file.ToString();
    }
}
