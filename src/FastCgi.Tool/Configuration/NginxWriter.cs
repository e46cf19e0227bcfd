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
            // For nginx, 0 means no limit.
            long size = limit.Bytes is { } bytes ? Math.Max(1, bytes) : 0;
            file.Replace(
                "client_max_body_size 30000000;",
                string.Create(CultureInfo.InvariantCulture, $"client_max_body_size {size};"));
            if (size == 0)
            {
                file.ReplaceInComments(
                        "The largest body: as much as the application's MaxRequestBodySize, here its default; nginx' " +
                        "own is 1 MiB. Not 0, by",
                        "No limit, like the application's MaxRequestBodySize; nginx' own is 1 MiB. nginx stores a body")
                    .ReplaceInComments(
                        "which nginx stores a body of any length on its disk before the application can refuse it.",
                        "of any length on its disk before the application gets it.");
            }
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

        if (settings.Certificate is not null)
        {
            file.Enable("listen 443 ssl;", "ssl_certificate_key").ReplaceCertificate(settings);
        }

        // A site may have both protocols. Then it has two upstreams.
        string suffix = isScgi ? "_ws" : "";
        return file
            .Replace($"upstream app{suffix} {{", $"upstream {settings.Site}{suffix} {{")
            .Replace($"{prefix}_pass app{suffix};", $"{prefix}_pass {settings.Site}{suffix};")
            .ReplaceInComments("sites-available/app", $"sites-available/{settings.Site}")
            .ToString();
    }
}
