namespace FastCgi.WebServerKit.Samples;

/// <summary>A file for Apache: the block for a virtual host, once plain and once with TLS.</summary>
/// <param name="modules">Beside those that Debian's Apache has from the start, as far as the samples go by it.</param>
internal abstract class ApacheSample(params IEnumerable<string> modules) : WebServerSample
{
    public override WebServerProgram Program { get; } = ProgramWith(modules);

    public static WebServerProgram ProgramWith(params IEnumerable<string> modules) =>
        WebServerProgram.Apache(["authz_core", "alias", "env", .. modules, "ssl"]);

    protected static SampleFile ListenOn(SampleFile file, SampleListening listening) =>
        file.Replace("<VirtualHost *:80>", $"<VirtualHost {listening.Plain}>");

    protected static SampleFile ListenEncryptedOn(SampleFile file, SampleListening listening) => file
        .Replace("<VirtualHost *:80>", $"Listen {listening.Encrypted}\n<VirtualHost {listening.Encrypted}>")
        .Enable("SSLEngine on", "SSLOptions +ExportCertData")
        .ReplaceCertificates(listening.Authority);
}

/// <summary>apache-proxy_fcgi.conf.</summary>
internal sealed class ApacheProxySample() : ApacheSample("proxy", "proxy_fcgi", "xsendfile")
{
    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount) =>
        $"{ListenOn(Host(reach, mount), listening)}\n{ListenEncryptedOn(Host(reach, mount), listening)}";

    private static SampleFile Host(SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read("apache-proxy_fcgi.conf").Enable("XSendFile On", "FileETag None");
        if (mount == SampleMount.PathBaseParam)
        {
            file.Enable("SetEnv ASPNETCORE_PATHBASE");
        }

        var (root, mounted) = reach.Tcp is null
            ? ("ProxyPass \"/\" \"unix:", "ProxyPass \"/app\" \"unix:")
            : ("ProxyPass \"/\" \"fcgi:", "ProxyPass \"/app\" \"fcgi:");
        return file.Disable("ProxyPass").Enable(mount == SampleMount.Root ? root : mounted)
            .ReplaceAddress(reach, DocumentedSocket, DocumentedTcp);
    }
}

/// <summary>apache-fcgid.conf: Apache starts the application.</summary>
internal sealed class ApacheFcgidSample() : ApacheSample("fcgid", "headers")
{
    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var sockets = reach.Program!.CreateSocketDirectory();
        var first = ListenOn(File(reach, mount), listening).ToString();
        var second = ListenEncryptedOn(File(reach, mount), listening).ToString();

        // The lines above the block are for both.
        return $"""
            FcgidIPCDir {sockets}
            FcgidProcessTableFile {sockets}/processes
            {first}
            {second[second.IndexOf("Listen ", StringComparison.Ordinal)..]}
            """;
    }

    private static SampleFile File(SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read("apache-fcgid.conf");
        if (reach.PathBase is not null)
        {
            file.Enable("FcgidInitialEnv FastCgi__PathBase")
                .Replace("FastCgi__PathBase /app", $"FastCgi__PathBase {reach.PathBase}");
        }

        switch (mount)
        {
            case SampleMount.ScriptName:
                return file
                    .Disable("<Location \"/\">", "</Location>")
                    .Enable("Alias", "</Directory>")
                    .Replace("\"/srv/app/app.fcgi\"", $"\"{reach.Program!.Script}\"")
                    .Replace("\"/srv/app\"", $"\"{reach.Program.Folder}\"");
            case SampleMount.PathBaseParam:
                file.Enable("SetEnv ASPNETCORE_PATHBASE").Replace("<Location \"/\">", "<Location \"/app\">");
                break;
            case SampleMount.PathAlone:
                file.Replace("<Location \"/\">", "<Location \"/app\">");
                break;
        }

        return file.Replace("/srv/app/app.fcgi", reach.Program!.Script);
    }
}
