namespace FastCgi.WebServerKit.Samples;

/// <summary>Caddyfile.</summary>
internal sealed class CaddySample : WebServerSample
{
    public override IWebServerProgram Program { get; } = new CaddyServer();

    /// <summary>The site twice, since an address has a certificate or has none.</summary>
    public override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = Site(reach, mount)
            .Replace(":80 {", $"http://:{listening.Plain.Port} {{\n\tbind {listening.Plain.Address}");
        var other = Site(reach, mount)
            .Replace(":80 {", $"https://localhost:{listening.Encrypted.Port} {{\n\tbind {listening.Encrypted.Address}")
            .Enable("tls", "}")
            .Replace("/etc/ssl/certs/www.example.com.pem", listening.Authority.SiteFile)
            .Replace("/etc/ssl/private/www.example.com.key", listening.Authority.SiteKeyFile)
            .Replace("/etc/ssl/certs/clients.pem", listening.Authority.CertificateFile)
            .Enable("env SSL_CLIENT_CERT");
        return $"{file}\n{other}";
    }

    private static SampleFile Site(SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read("Caddyfile");
        if (mount != SampleMount.Root)
        {
            file.Enable("@app path").Disable("reverse_proxy")
                .Enable(reach.Tcp is null ? "reverse_proxy @app unix" : "reverse_proxy @app 127");
        }
        else if (reach.Tcp is not null)
        {
            file.Disable("reverse_proxy").Enable("reverse_proxy 127");
        }

        if (mount == SampleMount.PathBaseParam)
        {
            file.Enable("env ASPNETCORE_PATHBASE");
        }

        return reach.Tcp is { } address
            ? file.Replace(DocumentedTcp, $"{address}")
            : file.Replace(DocumentedSocket, reach.Socket!);
    }
}
