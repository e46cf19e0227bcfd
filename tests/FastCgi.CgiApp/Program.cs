using FastCgi.AspNetCore;

// An application that a web server starts for each request. Its endpoint of code must not be bound then.
var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi(static options => options.ListenUnixSocket("/nowhere/app.sock"));
var app = builder.Build();
Console.WriteLine("printed by the application");

app.Map("/{**path}", static async (HttpContext context, IConfiguration configuration, IHostEnvironment environment) =>
{
    if (context.Request.Query.ContainsKey("torn"))
    {
        context.Response.ContentLength = 1000;
        await context.Response.WriteAsync("half");
        await context.Response.Body.FlushAsync();
        context.Abort();
        return;
    }

    if (context.Request.Query.ContainsKey("complain"))
    {
        await context.Features.Get<IFastCgiRequestFeature>()!.WriteErrorAsync("a complaint\n"u8.ToArray());
    }

    if (context.Request.Query.ContainsKey("child"))
    {
        using var child = System.Diagnostics.Process.Start("sleep", "100");
        context.Response.Headers["X-Child"] = $"{child.Id}";
    }

    var body = new MemoryStream();
    await context.Request.Body.CopyToAsync(body);
    context.Response.StatusCode = context.Request.Query.ContainsKey("missing") ? 404 : 200;
    context.Response.Headers["X-Answer"] = "yes";
    await context.Response.WriteAsync(string.Join('\n',
        $"method={context.Request.Method}",
        $"path={context.Request.Path.Value}",
        $"query={context.Request.QueryString}",
        $"host={context.Request.Host}",
        $"remote={context.Connection.RemoteIpAddress}",
        $"type={context.Request.ContentType}",
        $"cookie={context.Request.Headers.Cookie}",
        $"token={context.Request.Headers["X--Token"]}",
        $"proxy={Environment.GetEnvironmentVariable("HTTP_PROXY")}{Environment.GetEnvironmentVariable("HTTP_COOKIE")}",
        $"ports={configuration["HTTP_PORTS"]}",
        $"environment={environment.EnvironmentName}",
        $"body={body.Length}",
        ""));
});
app.Run();
