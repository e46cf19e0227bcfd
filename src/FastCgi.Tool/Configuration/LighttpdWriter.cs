namespace FastCgi.Tool.Configuration;

/// <summary>lighttpd: a file for conf-available. The port is in lighttpd's main file.</summary>
internal static class LighttpdWriter
{
    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate file = ConfigurationTemplate.Read("lighttpd.conf");
        if (settings.IsTcp)
        {
            string port = settings.Endpoint.Port.ToString(CultureInfo.InvariantCulture);
            file.Remove("\"socket\"").Enable("\"host\"")
                .Replace(
                    "\"host\" => \"127.0.0.1\", \"port\" => 9000",
                    $"\"host\" => \"{settings.BareHost}\", \"port\" => {port}");
        }
        else
        {
            file.Replace(DeploymentSettings.DocumentedSocket, settings.Endpoint.SocketPath!);
        }

        if (settings.MaxRequestBodySize is { } limit)
        {
            // In KiB. For lighttpd, 0 means no limit.
            long size = limit.Bytes is { } bytes ? Math.Max(1, (bytes / 1024) + Math.Sign(bytes % 1024)) : 0;
            file.Replace("server.max-request-size = 29297", string.Create(
                CultureInfo.InvariantCulture, $"server.max-request-size = {size}"));
            if (size == 0)
            {
                file.ReplaceInComments(
                        "The largest body in KiB: as much as the application's MaxRequestBodySize, here its default " +
                        "of 30,000,000 bytes. Without",
                        "No limit, like the application's MaxRequestBodySize: lighttpd stores a body of any length on")
                    .ReplaceInComments(
                        "this line lighttpd stores far larger ones on its disk before the application can refuse them.",
                        "its disk before the application gets it.");
            }
        }

        if (settings.PathBase is { } path)
        {
            file.Replace("fastcgi.server += ( \"/\"", $"fastcgi.server += ( \"{path}\"");
            if (!settings.KnowsPathBase)
            {
                file.Enable("setenv.add-environment").Replace("\"/app\" )", $"\"{path}\" )");
            }
        }

        if (settings.Certificate is not null)
        {
            file.Enable("server.modules += ( \"mod_openssl\" )").Enable("$SERVER[\"socket\"]", "}")
                .Remove("ssl.verifyclient.ca-file").Remove("ssl.verifyclient.activate")
                .Remove("ssl.verifyclient.enforce").Remove("ssl.verifyclient.exportcert")
                .ReplaceCertificate(settings);
        }

        return file.ToString();
    }
}
