namespace FastCgi.WebServerKit.Samples;

/// <summary>apache-proxy_fcgi.conf.</summary>
internal sealed class ApacheProxySample : WebServerSample
{
    public override IWebServerProgram Program { get; } = ApacheSamples.Program("proxy", "proxy_fcgi", "xsendfile");

    public override string Write(SampleListening listening, SampleReach reach, SampleMount mount) =>
        $"{Host(reach, mount).ListenOn(listening)}\n{Host(reach, mount).ListenEncryptedOn(listening)}";

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
        file.Disable("ProxyPass").Enable(mount == SampleMount.Root ? root : mounted);
        return reach.Tcp is { } address
            ? file.Replace(DocumentedTcp, $"{address}")
            : file.Replace(DocumentedSocket, reach.Socket!);
    }
}
