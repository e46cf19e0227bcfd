using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>An application whose answers show each symptom.</summary>
internal static class DoctorApplication
{
    private static int _visits;

    public static void Configure(WebApplication app) => app.Run(static async context =>
    {
        var length = context.Request.Query["head"].ToString();
        if (length.Length > 0)
        {
            context.Response.Headers["X-Long"] = new string(
                'x', int.Parse(length, System.Globalization.CultureInfo.InvariantCulture));
        }

        if (context.Request.Path.StartsWithSegments("/login"))
        {
            context.Response.Headers.SetCookie = $"session={Interlocked.Increment(ref _visits)}";
            context.Response.Headers.CacheControl = "max-age=60";
        }

        if (context.Request.Path.StartsWithSegments("/private"))
        {
            context.Response.Headers.CacheControl = "private";
        }

        // Allows the request that nginx asks about, if that is what it sees.
        if (context.Request.Headers["X-Guard"].ToString() is { Length: > 0 } guarded && context.Request.Path != guarded)
        {
            context.Response.StatusCode = StatusCodes.Status401Unauthorized;
        }

        if (context.Request.Path.StartsWithSegments("/cached"))
        {
            context.Response.Headers.CacheControl = "max-age=60";
        }

        var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        await context.Response.WriteAsync(string.Join('\n',
            $"target={context.Features.Get<IHttpRequestFeature>()!.RawTarget}",
            $"scheme={context.Request.Scheme}",
            $"host={context.Request.Host}",
            $"remote={context.Connection.RemoteIpAddress}",
            $"authorization={context.Request.Headers.Authorization}",
            $"user={context.GetServerVariable("REMOTE_USER")}",
            $"type={context.Request.ContentType}",
            $"cookie={context.Request.Headers.Cookie}",
            $"x-user={context.Request.Headers["X-User"]}",
            $"test={context.Request.Headers["X-Test"]}",
            $"upgradable={context.Features.Get<IHttpUpgradeFeature>()?.IsUpgradableRequest == true}",
            $"connection={context.Connection.Id.Split(':')[0]}",
            $"body={body.Length}",
            ""));
    });
}
