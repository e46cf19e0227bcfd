using System.Globalization;

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
            // In KiB; 0 is no limit for lighttpd.
            long size = Math.Max(1, (limit / 1024) + Math.Sign(limit % 1024));
            file.Replace("server.max-request-size = 29297", string.Create(
                CultureInfo.InvariantCulture, $"server.max-request-size = {size}"));
        }

        if (settings.PathBase is { } path)
        {
            file.Replace("fastcgi.server += ( \"/\"", $"fastcgi.server += ( \"{path}\"");
            if (!settings.KnowsPathBase)
            {
                file.Enable("setenv.add-environment").Replace("\"/app\" )", $"\"{path}\" )");
            }
        }

        if (settings.Certificate is { } certificate)
        {
            file.Enable("server.modules += ( \"mod_openssl\" )").Enable("$SERVER[\"socket\"]", "}")
                .Remove("ssl.verifyclient.ca-file").Remove("ssl.verifyclient.activate")
                .Remove("ssl.verifyclient.enforce").Remove("ssl.verifyclient.exportcert")
                .Replace(DeploymentSettings.DocumentedCertificate, certificate)
                .Replace(DeploymentSettings.DocumentedKey, settings.Key!);
        }

        return file.ToString();
    }
}
