using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>nginx with one server that passes every request to the application's sockets.</summary>
internal static class NginxSite
{
    public static Task<WebServer> StartAsync(
        IBackEnd backEnd, NginxSettings settings, params IReadOnlyList<string> sockets) =>
        NginxServer.StartAsync(endPoint => Write(endPoint, backEnd, settings, sockets));

    private static string Write(
        IPEndPoint endPoint, IBackEnd backEnd, NginxSettings settings, IReadOnlyList<string> sockets) => $$"""
            {{settings.Http}}
            upstream app {
        {{string.Join('\n', sockets.Select(socket => $"        server unix:{socket};"))}}
                {{(backEnd.Keepalive is { } count ? $"keepalive {count};" : "")}}
            }
            server {
                listen {{endPoint}} {{(settings.IsEncrypted ? "ssl " : "")}}backlog=1024;
                {{(settings.IsEncrypted ? TestCertificate.NginxLines : "")}}
                server_name _;
                client_max_body_size 0;
                large_client_header_buffers 8 16k;
                location / {
        {{backEnd.Location("app", settings)}}
                }
            }
        """;
}
