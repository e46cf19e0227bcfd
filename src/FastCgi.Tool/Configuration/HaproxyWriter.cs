namespace FastCgi.Tool.Configuration;

/// <summary>HAProxy: sections after the global one.</summary>
internal static class HaproxyWriter
{
    public static string Write(DeploymentSettings settings)
    {
        ConfigurationTemplate file = ConfigurationTemplate.Read("haproxy.cfg");
        if (settings.IsTcp)
        {
            file.Remove("server s1 unix@").Enable("server s1 127");
        }

        file.ReplaceEndpoint(settings);
        string listen = settings.ListenAddress;
        file.Replace("bind :80", $"bind {(listen.Contains(':', StringComparison.Ordinal) ? listen : $":{listen}")}");
        if (settings.PathBase is { } path)
        {
            file.Remove("default_backend app").Enable("use_backend app")
                .Replace("{ path /app } or { path_beg /app/ }", $"{{ path {path} }} or {{ path_beg {path}/ }}");
            if (!settings.KnowsPathBase)
            {
                file.Enable("set-param ASPNETCORE_PATHBASE").Replace(
                    "ASPNETCORE_PATHBASE /app", $"ASPNETCORE_PATHBASE {path}");
            }
        }

        if (settings.Certificate is { } certificate)
        {
            JudgeKey(certificate, settings.Key!);
            file.Enable("bind :443 ssl").Replace(
                "/etc/ssl/private/www.example.com.pem ca-file /etc/ssl/certs/clients.pem verify optional", certificate);
        }

        return file.ToString();
    }

    /// <summary>
    /// HAProxy reads the key from the certificate's file, or from a file with the same name and .key.
    /// </summary>
    private static void JudgeKey(string certificate, string key)
    {
        if (key != certificate && key != $"{certificate}.key" && !HasKey(certificate))
        {
            throw ToolException.Usage(
                $"HAProxy reads no --key '{key}': it takes the key from '{certificate}' or '{certificate}.key'. " +
                "Write the key into one of these, and give that file as --key.");
        }
    }

    private static bool HasKey(string certificate)
    {
        try
        {
            return File.ReadAllText(certificate).Contains("PRIVATE KEY-----", StringComparison.Ordinal);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
