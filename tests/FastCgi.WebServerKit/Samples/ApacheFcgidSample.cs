namespace FastCgi.WebServerKit.Samples;

/// <summary>apache-fcgid.conf: Apache starts the application.</summary>
internal sealed class ApacheFcgidSample : WebServerSample
{
    public override IWebServerProgram Program { get; } = ApacheSamples.Program("fcgid", "headers");

    public override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var sockets = reach.Program!.CreateSocketDirectory();
        var first = File(reach, mount).ListenOn(listening).ToString();
        var second = File(reach, mount).ListenEncryptedOn(listening).ToString();

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
