using System.Globalization;

namespace FastCgi.Tool.Configuration;

/// <summary>nginx: a file for sites-available.</summary>
internal static class NginxWriter
{
    public static string Write(DeploymentSettings settings)
    {
        bool isScgi = settings.Endpoint.IsScgi;
        string prefix = isScgi ? "scgi" : "fastcgi";
        ConfigurationTemplate file = ConfigurationTemplate.Read(isScgi ? "nginx-scgi.conf" : "nginx.conf");
        if (settings.IsTcp)
        {
            file.Remove("server unix:").Enable("server 127.0.0.1:").Replace(
                isScgi
                    ? "server 127.0.0.1:9001"
                    : $"server {DeploymentSettings.DocumentedTcp}", $"server {settings.TcpAddress}");
        }
        else
        {
            file.Replace(
                isScgi ? "/run/app/app-ws.sock" : DeploymentSettings.DocumentedSocket, settings.Endpoint.SocketPath!);
        }

        file.Replace("listen 80;", $"listen {settings.ListenAddress};");
        file.Replace($"server_name {DeploymentSettings.DocumentedName};", $"server_name {settings.ServerName ?? "_"};");
        if (settings.MaxRequestBodySize is { } limit)
        {
            file.Replace(
                "client_max_body_size 0;", string.Create(
                    CultureInfo.InvariantCulture, $"client_max_body_size {limit};"));
        }

        if (settings.PathBase is { } path)
        {
            file.Replace("location / {", $"location {path}/ {{");
            if (!settings.KnowsPathBase)
            {
                file.Enable($"{prefix}_param ASPNETCORE_PATHBASE")
                    .Replace("ASPNETCORE_PATHBASE /app;", $"ASPNETCORE_PATHBASE {path};");
            }
        }

        if (settings.Certificate is { } certificate)
        {
            file.Enable("listen 443 ssl;", "ssl_certificate_key")
                .Replace(DeploymentSettings.DocumentedCertificate, certificate)
                .Replace(DeploymentSettings.DocumentedKey, settings.Key!);
        }

        return file
            .Replace("upstream app {", $"upstream {settings.Site} {{")
            .Replace($"{prefix}_pass app;", $"{prefix}_pass {settings.Site};")
            .ReplaceInComments("sites-available/app", $"sites-available/{settings.Site}")
            .ToString();
    }
}
