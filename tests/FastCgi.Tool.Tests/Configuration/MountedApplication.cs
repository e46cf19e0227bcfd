using System.Text;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>Answers with what the configuration of a web server decides.</summary>
internal static class MountedApplication
{
    public static void Configure(WebApplication app) => app.Run(static async context =>
    {
        var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        var raw = context.Features.GetRequiredFeature<IFastCgiRequestFeature>()
            .TryGetParameter("HTTP_X_FORWARDED_FOR", out var forwarded);
        await context.Response.WriteAsync(string.Join('\n',
            $"base={context.Request.PathBase}",
            $"path={context.Request.Path.Value}",
            $"query={context.Request.QueryString}",
            $"scheme={context.Request.Scheme}",
            $"host={context.Request.Host}",
            $"remote={context.Connection.RemoteIpAddress}",
            $"authorization={context.Request.Headers.Authorization}",
            $"forwarded={(raw ? Encoding.UTF8.GetString(forwarded) : "")}",
            $"body={body.Length}",
            ""));
    });
}
