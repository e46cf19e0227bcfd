namespace FastCgi.WebServerTests.Nginx;

/// <summary>Targets and heads beyond what the rows of Matrix and Equality have.</summary>
public sealed class HeaderTests
{
    [Theory, BackEnds]
    public async Task A_status_of_the_applications_choice_reaches_the_client(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/{status:int}", (int status) => Results.StatusCode(status)));
        foreach (var status in (int[])[200, 201, 202, 400, 401, 403, 404, 409, 410, 418, 422, 429, 451, 500, 501, 503])
        {
            var response = await site.AskAsync($"/{status}");
            Assert.Equal((status, 0, 0L), (response.Status, response.Body.Length, response.Head.ContentLength));
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task A_head_beyond_nginx_s_buffer_is_warned_of_by_the_name_of_the_setting(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, LargeHead, nginx: new NginxSettings { ResponseHeadBuffer = "4k" });
        var response = await site.AskAsync("/");

        Assert.Equal(502, response.Status);
        await site.WebServer.ErrorLog.WaitForAsync("upstream sent too big header");
        await site.Log.WaitForAsync(
            entry => entry.Message.Contains("fastcgi_buffer_size", StringComparison.Ordinal), "the warning");
    }

    [Theory, BackEnds]
    public async Task A_target_of_eight_thousand_bytes_is_whole(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, static app => app.Run(static context =>
            context.Response.WriteAsync($"{context.Request.Path}{context.Request.QueryString.Value}")));
        var target = "/?q=" + new string('x', 8000);
        var response = await site.AskAsync(target);
        Assert.Equal((200, target), (response.Status, response.Text));
    }

    private static void LargeHead(WebApplication app) => app.Run(context =>
    {
        context.Response.Headers["X-Large"] = new string('x', 10_000);
        return context.Response.WriteAsync("whole");
    });
}
