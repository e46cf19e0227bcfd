namespace FastCgi.WebServerKit.Samples;

/// <summary>lighttpd.conf, or lighttpd-bin-path.conf where lighttpd starts the application.</summary>
internal sealed class LighttpdSample : WebServerSample
{
    /// <summary>How Debian's lighttpd.conf treats URLs.</summary>
    private const string DebiansParsing = """
        server.http-parseopts = (
            "header-strict" => "enable", "host-strict" => "enable", "host-normalize" => "enable",
            "url-normalize-unreserved" => "enable", "url-normalize-required" => "enable",
            "url-ctrls-reject" => "enable", "url-path-2f-decode" => "enable", "url-path-dotseg-remove" => "enable"
        )
        """;

    public override WebServerProgram Program => WebServerProgram.Lighttpd;

    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = SampleFile.Read(reach.Program is null ? "lighttpd.conf" : "lighttpd-bin-path.conf")
            .Enable("server.modules += ( \"mod_openssl\" )")
            .Enable("\"x-sendfile\"").Enable("\"x-sendfile-docroot\"")
            .Enable("$SERVER[\"socket\"]", "}")
            .Replace("\":443\"", $"\"{listening.Encrypted}\"")
            .ReplaceCertificates(listening.Authority);
        if (reach.Program is { } program)
        {
            file.Replace("/srv/app/app.fcgi", program.Script)
                .Replace("/run/lighttpd/app.sock", Path.Combine(program.CreateSocketDirectory(), "app.sock"));
        }
        else if (reach.Tcp is { } address)
        {
            file.Disable("\"socket\"").Enable("\"host\"").Replace("9000", $"{address.Port}");
        }
        else
        {
            file.Replace(DocumentedSocket, reach.Socket!);
        }

        if (reach.PathBase is { } pathBase)
        {
            file.Enable("\"bin-environment\"")
                .Replace("\"FastCgi__PathBase\" => \"/app\"", $"\"FastCgi__PathBase\" => \"{pathBase}\"");
        }

        if (mount != SampleMount.Root)
        {
            file.Replace("fastcgi.server += ( \"/\"", "fastcgi.server += ( \"/app\"");
        }

        if (mount == SampleMount.PathBaseParam)
        {
            file.Enable("setenv.add-environment");
        }

        return $"{DebiansParsing}\n{file}";
    }
}
