using System.Globalization;

namespace FastCgi.Tool.Configuration;

/// <summary>nginx: a file for sites-available.</summary>
internal static class NginxWriter
{
    public static string Write(DeploymentSettings settings)
    {
        bool isScgi = settings.IsScgi;
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
            // 0 is no limit for nginx.
            file.Replace(
                "client_max_body_size 30000000;", string.Create(
                    CultureInfo.InvariantCulture, $"client_max_body_size {Math.Max(1, limit)};"));
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

        // A site may have both protocols, and then two upstreams.
        string suffix = isScgi ? "_ws" : "";
        return file
            .Replace($"upstream app{suffix} {{", $"upstream {settings.Site}{suffix} {{")
            .Replace($"{prefix}_pass app{suffix};", $"{prefix}_pass {settings.Site}{suffix};")
            .ReplaceInComments("sites-available/app", $"sites-available/{settings.Site}")
            .ToString();
    }
}
