namespace FastCgi.WebServerKit.Samples;

/// <summary>nginx.conf.</summary>
/// <param name="keepsConnections">False: a connection for each request, which is nginx' default.</param>
/// <param name="buffers">False: request and response are passed on as they come.</param>
internal sealed class NginxSample(bool keepsConnections = true, bool buffers = true) : WebServerSample
{
    public override IWebServerProgram Program { get; } = new NginxServer();

    public override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = NginxSampleFile.Read("nginx.conf", listening)
            .Replace("include fastcgi_params;", "include /etc/nginx/fastcgi_params;")
            .Enable("fastcgi_param SSL_CLIENT_CERT")
            .Enable("location ^~ /_files/", "}");
        if (reach.Tcp is { } address)
        {
            file.Disable("server unix:").Enable("server 127").Replace(DocumentedTcp, $"{address}");
        }
        else
        {
            file.Replace(DocumentedSocket, reach.Socket!);
        }

        if (!keepsConnections)
        {
            file.Disable("fastcgi_keep_conn on;");
        }

        if (!buffers)
        {
            file.Enable("fastcgi_request_buffering off;").Enable("fastcgi_buffering off;");
        }

        return (mount switch
        {
            SampleMount.Root => file,
            SampleMount.PathBaseParam => Mounted(file).Enable("fastcgi_param ASPNETCORE_PATHBASE"),
            SampleMount.ScriptName => Mounted(file).Enable("fastcgi_split_path_info"),
            _ => Mounted(file),
        }).ToString();
    }

    private static SampleFile Mounted(SampleFile file) => file.Replace("location / {", "location /app/ {");
}
