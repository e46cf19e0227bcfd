namespace FastCgi.WebServerKit.Samples;

/// <summary>Caddyfile.</summary>
internal sealed class CaddySample : WebServerSample
{
    public override WebServerProgram Program => WebServerProgram.Caddy;

    /// <summary>The site twice, since an address has a certificate or has none.</summary>
    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = Site(reach, mount)
            .Replace(":80 {", $"http://:{listening.Plain.Port} {{\n\tbind {listening.Plain.Address}");
        var other = Site(reach, mount)
            .Replace(":80 {", $"https://localhost:{listening.Encrypted.Port} {{\n\tbind {listening.Encrypted.Address}")
            .Enable("tls", "}")
            .ReplaceCertificates(listening.Authority)
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
        else
        {
            file.SwitchAddress(reach, "reverse_proxy", "reverse_proxy 127");
        }

        if (mount == SampleMount.PathBaseParam)
        {
            file.Enable("env ASPNETCORE_PATHBASE");
        }

        return file.ReplaceAddress(reach, DocumentedSocket, DocumentedTcp);
    }
}
