using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.HttpOverrides;

namespace FastCgi.WebServerKit;

/// <summary>Kestrel behind <c>proxy_pass</c>, with the headers and the middleware that are usual for it.</summary>
internal sealed class KestrelBackEnd : IBackEnd
{
    public int? Keepalive => 64;

    public void Listen(IWebHostBuilder webHost, string socketPath) =>
        webHost.UseKestrel(options => options.ListenUnixSocket(socketPath));

    public void UseFirst(WebApplication app) => app.UseForwardedHeaders(new ForwardedHeadersOptions
    {
        ForwardedHeaders = ForwardedHeaders.XForwardedFor | ForwardedHeaders.XForwardedProto,
    });

    public string Location(string upstream, NginxSettings settings) => $"""
                proxy_pass http://{upstream};
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $host$host_port;
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_set_header X-Forwarded-Proto $scheme;
                proxy_request_buffering {OnOff(settings.BuffersRequests)};
                proxy_buffering {OnOff(settings.BuffersResponses)};
                proxy_buffer_size {settings.ResponseHeadBuffer ?? "32k"};
                proxy_buffers 16 32k;
                {settings.More}
        """;

    private static string OnOff(bool value) => value ? "on" : "off";
}
