using System.Globalization;
using FastCgi.AspNetCore;
using FastCgi.Protocol;

namespace FastCgi.Tool.Tests.Harness;

/// <summary>Answers with what it saw of the request.</summary>
internal static class EchoApplication
{
    public static Task<FunctionalServer> StartAsync() =>
        FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, AnswerAsync);

    public static Task<FunctionalServer> StartScgiAsync() => FunctionalServer.StartAsync(
        ServerTransport.EpollOnTcp,
        AnswerAsync,
        static options => options.ConfigureEndpointDefaults(
            static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi));

    private static async Task AnswerAsync(HttpContext context)
    {
        if (context.Request.Query.TryGetValue("status", out var status))
        {
            context.Response.StatusCode = int.Parse(status.ToString(), CultureInfo.InvariantCulture);
        }

        if (context.Request.Query.ContainsKey("stderr"))
        {
            await context.Features.Get<IFastCgiRequestFeature>()!.WriteErrorAsync("a complaint"u8.ToArray());
        }

        using var reader = new StreamReader(context.Request.Body);
        var body = await reader.ReadToEndAsync();
        context.Response.Headers["X-Echo"] = "yes";
        await context.Response.WriteAsync(string.Join('\n',
            $"method={context.Request.Method}",
            $"target={context.Features.Get<Microsoft.AspNetCore.Http.Features.IHttpRequestFeature>()!.RawTarget}",
            $"host={context.Request.Host}",
            $"scheme={context.Request.Scheme}",
            $"remote={context.Connection.RemoteIpAddress}",
            $"type={context.Request.ContentType}",
            $"authorization={context.Request.Headers.Authorization}",
            $"test={context.Request.Headers["X-Test"]}",
            $"param={context.GetServerVariable("APP_PARAM")}",
            $"software={context.GetServerVariable("SERVER_SOFTWARE")}",
            $"body={body}"));
    }
}
