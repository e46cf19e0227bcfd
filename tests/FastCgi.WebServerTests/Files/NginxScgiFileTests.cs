using FastCgi.Protocol;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerTests.Files;

/// <summary>The same with <c>scgi_pass</c>.</summary>
public sealed class NginxScgiFileTests : NginxFileTests
{
    private protected override string Pass(ServedApp app, string folder) => $"""
        include /etc/nginx/scgi_params;
        scgi_param HTTP_HOST $http_host;
        scgi_pass unix:{SocketBeside(folder)};
        """;

    private protected override void Build(WebApplicationBuilder builder, string folder)
    {
        base.Build(builder, folder);
        builder.WebHost.ConfigureFastCgi(options => options.ListenUnixSocket(
            SocketBeside(folder), listen => listen.Protocol = FastCgiEndpointProtocol.Scgi));
    }

    private static string SocketBeside(string folder) => Path.Combine(Path.GetDirectoryName(folder)!, "scgi.sock");
}
