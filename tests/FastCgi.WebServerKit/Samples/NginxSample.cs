namespace FastCgi.WebServerKit.Samples;

/// <summary>nginx.conf.</summary>
/// <param name="keepsConnections">False: a connection for each request, which is nginx' default.</param>
/// <param name="buffers">False: request and response are passed on as they come.</param>
internal sealed class NginxSample(bool keepsConnections = true, bool buffers = true) : WebServerSample
{
    public override WebServerProgram Program => WebServerProgram.Nginx;

    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount)
    {
        var file = Read("nginx.conf", listening)
            .Replace("include fastcgi_params;", "include /etc/nginx/fastcgi_params;")
            .Enable("fastcgi_param SSL_CLIENT_CERT")
            .Enable("location ^~ /_files/", "}")
            .SwitchAddress(reach, "server unix:", "server 127")
            .ReplaceAddress(reach, DocumentedSocket, DocumentedTcp);
        if (!keepsConnections)
        {
            file.Disable("fastcgi_keep_conn on;");
        }

        if (!buffers)
        {
            file.Enable("fastcgi_request_buffering off;").Enable("fastcgi_buffering off;");
        }

        return Mount(file, mount, "fastcgi_param ASPNETCORE_PATHBASE", "fastcgi_split_path_info");
    }

    /// <summary>The same in each documented configuration of nginx: where it listens, with and without TLS.</summary>
    public static SampleFile Read(string name, SampleListening listening) => SampleFile.Read(name)
        .Replace("listen 80;", $"listen {listening.Plain};")
        .Enable("listen 443 ssl;", "ssl_verify_client optional;")
        .Replace("listen 443 ssl;", $"listen {listening.Encrypted} ssl;")
        .ReplaceCertificates(listening.Authority);

    /// <summary>The file with the application where it is mounted.</summary>
    public static string Mount(SampleFile file, SampleMount mount, string byParam, string byScriptName)
    {
        if (mount != SampleMount.Root)
        {
            file.Replace("location / {", "location /app/ {");
        }

        return (mount switch
        {
            SampleMount.PathBaseParam => file.Enable(byParam),
            SampleMount.ScriptName => file.Enable(byScriptName),
            _ => file,
        }).ToString();
    }
}

/// <summary>nginx-scgi.conf.</summary>
internal sealed class NginxScgiSample : WebServerSample
{
    public override WebServerProgram Program => WebServerProgram.Nginx;

    protected override string Write(SampleListening listening, SampleReach reach, SampleMount mount) => NginxSample.Mount(
        NginxSample.Read("nginx-scgi.conf", listening)
            .Replace("include scgi_params;", "include /etc/nginx/scgi_params;")
            .Enable("scgi_param SSL_CLIENT_CERT")
            .SwitchAddress(reach, "server unix:", "server 127")
            .ReplaceAddress(reach, "/run/app/app-ws.sock", "127.0.0.1:9001"),
        mount,
        "scgi_param ASPNETCORE_PATHBASE",
        "scgi_param SCRIPT_NAME");
}
