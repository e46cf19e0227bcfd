using System.Text;
using FastCgi.AspNetCore;
using FastCgi.Protocol;
using Microsoft.Extensions.Primitives;

namespace FastCgi.WebServerTests.Authorizer;

/// <summary>
/// An ordinary application in both roles: as authorizer it decides who may enter, as responder it shows whom the
/// authorizer let in. Neither reads anything but what ASP.NET Core shows to every application.
/// </summary>
internal static class DoorApp
{
    public static void Configure(WebApplication app)
    {
        app.MapWhen(
            context => context.Features.Get<IFastCgiRequestFeature>()?.Role == FastCgiRole.Authorizer,
            door => door.Run(DecideAsync));
        app.Map("/{**path}", async (HttpRequest request) =>
        {
            using var body = new StreamReader(request.Body);
            return $"{request.Method} {request.Path} by {request.HttpContext.GetServerVariable("MEMBER") ?? "nobody"}"
                + $" of {request.HttpContext.GetServerVariable("TEAM") ?? "none"}: {await body.ReadToEndAsync()}";
        });
    }

    public static string Credentials(string user, string password) =>
        $"Authorization: Basic {Convert.ToBase64String(Encoding.UTF8.GetBytes($"{user}:{password}"))}\r\n";

    private static Task DecideAsync(HttpContext context)
    {
        var response = context.Response;
        var path = context.Request.Path;
        if (path.StartsWithSegments("/closed"))
        {
            response.StatusCode = StatusCodes.Status403Forbidden;
            return response.WriteAsync("closed to everybody");
        }

        if (path.StartsWithSegments("/members")
            && context.Request.Headers.Authorization != $"Basic {Convert.ToBase64String("ann:secret"u8)}")
        {
            response.StatusCode = StatusCodes.Status401Unauthorized;
            response.Headers.WWWAuthenticate = new StringValues("Basic realm=\"door\"");
            return response.WriteAsync("who are you?");
        }

        response.Headers["Variable-MEMBER"] = path.StartsWithSegments("/members") ? "ann" : "guest";
        response.Headers["Variable-TEAM"] = "red";
        return Task.CompletedTask;
    }
}
