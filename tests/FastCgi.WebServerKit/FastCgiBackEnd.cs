using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerKit;

/// <summary>Our server behind <c>fastcgi_pass</c>, with the lines that the documentation recommends.</summary>
internal sealed class FastCgiBackEnd(bool keepConnections) : IBackEnd
{
    public int? Keepalive => keepConnections ? 64 : null;

    public void Listen(IWebHostBuilder webHost, string socketPath) =>
        webHost.UseFastCgi(options => options.ListenUnixSocket(socketPath));

    public void UseFirst(WebApplication app)
    {
    }

    public string Location(string upstream, NginxSettings settings) => $"""
                include /etc/nginx/fastcgi_params;
                fastcgi_param HTTP_HOST $host$host_port;
                fastcgi_param REMOTE_USER "";
                fastcgi_pass {upstream};
                fastcgi_keep_conn {OnOff(keepConnections)};
                fastcgi_request_buffering {OnOff(settings.BuffersRequests)};
                fastcgi_buffering {OnOff(settings.BuffersResponses)};
                fastcgi_buffer_size {settings.ResponseHeadBuffer ?? "32k"};
                fastcgi_buffers 16 32k;
                {settings.More}
        """;

    private static string OnOff(bool value) => value ? "on" : "off";
}
