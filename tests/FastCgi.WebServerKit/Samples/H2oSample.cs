namespace FastCgi.WebServerKit.Samples;

/// <summary>h2o.yaml. The worker stays root where it is root, since nobody else can enter the directory.</summary>
internal sealed class H2oSample : WebServerSample
{
    public override WebServerProgram Program => WebServerProgram.H2o;

    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read("h2o.yaml")
            .Disable("pid-file: ")
            .Enable("listen:", "    key-file: /etc/ssl/private/www.example.com.key")

            // Quoted, lest a free port begin like the other's documented one.
            .Replace("  port: 80", $"  host: {listening.Plain.Address}\n  port: \"{listening.Plain.Port}\"")
            .Replace("  port: 443", $"  host: {listening.Encrypted.Address}\n  port: \"{listening.Encrypted.Port}\"")
            .Replace("/etc/ssl/certs/www.example.com.pem", listening.Authority.SiteFile)
            .Replace("/etc/ssl/private/www.example.com.key", listening.Authority.SiteKeyFile);
        if (Environment.IsPrivilegedProcess)
        {
            file.Replace("user: debian-h2o", "user: root");
        }
        else
        {
            file.Disable("user: debian-h2o");
        }

        if (reach.Tcp is { } address)
        {
            file.Disable("port: /run/app/app.sock").Disable("type: unix")
                .Enable("host: 127.0.0.1", "type: tcp").Replace("port: 9000", $"port: {address.Port}");
        }
        else
        {
            file.Replace(DocumentedSocket, reach.Socket!);
        }

        if (mount != SampleMount.Root)
        {
            file.Replace("\"/\":", "\"/app\":");
        }

        if (mount == SampleMount.PathBaseParam)
        {
            file.Enable("setenv:", "  ASPNETCORE_PATHBASE: /app");
        }

        return file.ToString();
    }
}
