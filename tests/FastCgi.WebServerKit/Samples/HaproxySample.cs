namespace FastCgi.WebServerKit.Samples;

/// <summary>haproxy.cfg.</summary>
/// <param name="multiplexes">Many requests at once on a connection.</param>
internal sealed class HaproxySample(bool multiplexes = false) : WebServerSample
{
    public override WebServerProgram Program => WebServerProgram.Haproxy;

    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read("haproxy.cfg")
            .Replace("bind :80", $"bind {listening.Plain}")
            .Enable("bind :443 ssl")
            .Replace("bind :443", $"bind {listening.Encrypted}")
            .Replace("/etc/ssl/private/www.example.com.pem", listening.Authority.SiteFile)
            .Replace("/etc/ssl/certs/clients.pem", listening.Authority.CertificateFile)
            .Enable("set-param SSL_CLIENT_CERT")
            .SwitchAddress(reach, "server s1 unix@", "server s1 127")
            .ReplaceAddress(reach, DocumentedSocket, DocumentedTcp);
        if (multiplexes)
        {
            file.Enable("option mpxs-conns").Enable("option get-values");
        }

        if (mount != SampleMount.Root)
        {
            file.Disable("default_backend app").Enable("use_backend app");
        }

        return (mount switch
        {
            SampleMount.PathBaseParam => file.Enable("set-param ASPNETCORE_PATHBASE"),
            SampleMount.ScriptName => file.Enable("path-info"),
            _ => file,
        }).ToString();
    }
}
