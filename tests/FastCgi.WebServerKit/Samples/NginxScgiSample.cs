namespace FastCgi.WebServerKit.Samples;

/// <summary>nginx-scgi.conf.</summary>
internal sealed class NginxScgiSample : WebServerSample
{
    public override IWebServerProgram Program { get; } = new NginxServer();

    public override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = NginxSampleFile.Read("nginx-scgi.conf", listening)
            .Replace("include scgi_params;", "include /etc/nginx/scgi_params;")
            .Enable("scgi_param SSL_CLIENT_CERT");
        if (reach.Tcp is { } address)
        {
            file.Disable("server unix:").Enable("server 127").Replace("127.0.0.1:9001", $"{address}");
        }
        else
        {
            file.Replace("/run/app/app-ws.sock", reach.Socket!);
        }

        if (mount != SampleMount.Root)
        {
            file.Replace("location / {", "location /app/ {");
        }

        return (mount switch
        {
            SampleMount.PathBaseParam => file.Enable("scgi_param ASPNETCORE_PATHBASE"),
            SampleMount.ScriptName => file.Enable("scgi_param SCRIPT_NAME"),
            _ => file,
        }).ToString();
    }
}
