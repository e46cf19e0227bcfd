using Microsoft.AspNetCore.Rewrite;

namespace FastCgi.WebServerTests.Framework;

/// <summary>Rules of IIS' URL Rewrite, which ask the server for its variables before they read the request.</summary>
public sealed class RewriteTests
{
    /// <summary>Every variable that such rules know.</summary>
    private static readonly string[] s_variables =
    [
        "ALL_RAW", "APP_POOL_ID", "CONTENT_LENGTH", "CONTENT_TYPE", "HTTP_ACCEPT", "HTTP_CONNECTION", "HTTP_COOKIE",
        "HTTP_HOST", "HTTP_PROXY_CONNECTION", "HTTP_REFERER", "HTTP_URL", "HTTP_USER_AGENT", "HTTPS", "LOCAL_ADDR",
        "QUERY_STRING", "REMOTE_ADDR", "REMOTE_HOST", "REMOTE_PORT", "REQUEST_FILENAME", "REQUEST_METHOD",
        "REQUEST_URI", "SERVER_NAME",
    ];

    [Theory, BackEnds]
    public async Task A_rule_that_guards_a_path_guards_every_spelling_of_it(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, static app =>
        {
            UseRules(app, """
                <rule name="guard" stopProcessing="true">
                  <match url=".*" />
                  <conditions><add input="{REQUEST_URI}" pattern="^/private(/|$)" /></conditions>
                  <action type="CustomResponse" statusCode="403" statusReason="Forbidden" />
                </rule>
                """);
            app.Run(static context => context.Response.WriteAsync(context.Request.Path));
        });

        foreach (var target in (string[])
            ["/private", "/private/a", "/%70rivate/a", "/private?x", "/PRIVATE/a", "/x/../private/a", "/private/?x=/"])
        {
            var refused = await site.AskAsync(target);
            Assert.Equal((target, 403), (target, refused.Status));
        }

        Assert.Equal("/privateer", (await site.AskAsync("/privateer")).Text);
    }

    [Theory, BackEnds]
    public async Task A_rule_reads_what_it_reads_on_a_server_without_variables(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.Use(static async (context, next) =>
                {
                    if (context.Request.Headers.ContainsKey("X-Without"))
                    {
                        context.Features.Set<IServerVariablesFeature>(null);
                    }

                    // What a middleware changes counts.
                    context.Connection.RemoteIpAddress = IPAddress.Parse("203.0.113.9");
                    context.Connection.RemotePort = 7;
                    context.Request.Method = "PATCH";
                    context.Request.Headers.Referer = "http://changed.example/";
                    context.Request.QueryString = context.Request.QueryString.Add("more", "1");
                    try
                    {
                        await next();
                    }
                    catch (NotSupportedException)
                    {
                        await context.Response.WriteAsync("a variable of IIS alone");
                    }
                });
                UseRules(app, string.Concat(s_variables.Select(static name => $$"""
                    <rule name="{{name}}" stopProcessing="true">
                      <match url="^{{name}}/" />
                      <action type="Rewrite" url="/seen/{{{name}}}" />
                    </rule>
                    """)));
                app.Run(static context => context.Response.WriteAsync(context.Request.Path + context.Request.QueryString));
            },
            nginx: new NginxSettings
            {
                More = backEnd switch
                {
                    BackEndKind.Kestrel => "",
                    BackEndKind.Scgi => "scgi_param REQUEST_FILENAME /x; scgi_param LOCAL_ADDR 192.0.2.1;",
                    _ => "fastcgi_param REQUEST_FILENAME /x; fastcgi_param LOCAL_ADDR 192.0.2.1;",
                },
            });

        foreach (var name in s_variables)
        {
            var request = $"POST /{name}/%70ath?a=%20 HTTP/1.1\r\nHost: h.example\r\n" +
                "Accept: text/html\r\nAccept: text/plain\r\nCookie: a=b\r\nReferer: http://other.example/\r\n" +
                "User-Agent: test\r\nProxy-Connection: keep-alive\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n";
            var read = await site.SendAsync($"{request}\r\nab");
            var expected = await site.SendAsync($"{request}X-Without: 1\r\n\r\nab");

            Assert.Equal((name, expected.Status, expected.Text), (name, read.Status, read.Text));
        }
    }

    private static void UseRules(WebApplication app, string rules) => app.UseRewriter(new RewriteOptions()
        .AddIISUrlRewrite(new StringReader($"<rewrite><rules>{rules}</rules></rewrite>")));
}
