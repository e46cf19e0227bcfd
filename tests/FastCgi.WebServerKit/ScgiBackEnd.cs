using FastCgi.Protocol;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerKit;

/// <summary>Our server behind <c>scgi_pass</c>, with the lines that the documentation recommends.</summary>
internal sealed class ScgiBackEnd : IBackEnd
{
    public int? Keepalive => null;

    public void Listen(IWebHostBuilder webHost, string socketPath) =>
        webHost.UseFastCgi(options => options.ListenUnixSocket(
            socketPath, static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi));

    public void UseFirst(WebApplication app)
    {
    }

    public string Location(string upstream, NginxSettings settings) => $"""
                include /etc/nginx/scgi_params;
                scgi_param HTTP_HOST $host$host_port;
                scgi_pass {upstream};
                scgi_request_buffering {OnOff(settings.BuffersRequests)};
                scgi_buffering {OnOff(settings.BuffersResponses)};
                scgi_buffer_size {settings.ResponseHeadBuffer ?? "32k"};
                scgi_buffers 16 32k;
                scgi_read_timeout 1h;
                {settings.More.Replace("fastcgi_", "scgi_", StringComparison.Ordinal)}
        """;

    private static string OnOff(bool value) => value ? "on" : "off";
}
