using System.Net.Http.Headers;

namespace FastCgi.Gateway.Tests.Mapping;

/// <summary>Files that the application names instead of a body: X-Accel-Redirect and X-Sendfile.</summary>
public sealed class InternalFileTests : IDisposable
{
    private readonly DocumentFolder _folder = new(
        "/files/a b.bin", "/files/p%41.bin", "/files/deep/c.txt", "/files-not/d.txt", "/secret.txt",
        "/files/private/c.txt", "/other/c.txt");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("GET", "X-Accel-Redirect: /protected/a%20b.bin", "source of /files/a b.bin")]
    [InlineData("POST", "X-Accel-Redirect: /protected/a b.bin", "source of /files/a b.bin")]
    [InlineData("GET", "X-Accel-Redirect: /protected/p%2541.bin", "source of /files/p%41.bin")]
    [InlineData("GET", "X-Accel-Redirect: /protected/deep/c.txt?download=1", "source of /files/deep/c.txt")]
    [InlineData("GET", "X-Accel-Redirect: /protected/private/c.txt", "source of /other/c.txt")]
    [InlineData("GET", "X-Accel-Redirect: /protected/%70rivate%2Fc.txt", "source of /other/c.txt")]
    [InlineData("HEAD", "X-Accel-Redirect: /protected/deep/c.txt", "")]
    [InlineData("GET", "X-Sendfile: {0}/files/deep/c.txt", "source of /files/deep/c.txt")]
    [InlineData("GET", "X-Sendfile: {0}/files/a%20b.bin", "source of /files/a b.bin")]
    public async Task A_file_of_a_named_directory_is_sent(string method, string header, string body)
    {
        using var answer = await AskAsync(
            new HttpRequestMessage(new HttpMethod(method), "/x"),
            "Status: 203 Odd\r\nContent-Type: text/odd\r\nContent-Length: 2\r\nContent-Encoding: br\r\n"
                + "ETag: \"old\"\r\nSet-Cookie: a=1\r\n" + string.Format(null, header, _folder.Path) + "\r\n\r\nno");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal("OK", answer.ReasonPhrase);
        Assert.Equal("text/odd", answer.Content.Headers.ContentType?.MediaType);
        Assert.Equal("a=1", Assert.Single(answer.Headers.GetValues("Set-Cookie")));
        Assert.Empty(answer.Content.Headers.ContentEncoding);
        Assert.NotEqual("\"old\"", answer.Headers.ETag?.Tag);
        Assert.False(answer.Headers.Contains("X-Accel-Redirect") || answer.Headers.Contains("X-Sendfile"));
        Assert.Equal(body, await answer.Content.ReadAsStringAsync().Within("the file"));
        Assert.True(answer.Content.Headers.ContentLength > 2);
    }

    [Fact]
    public async Task A_part_of_it_is_sent()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/x");
        request.Headers.Range = new RangeHeaderValue(0, 5);
        using var answer = await AskAsync(request, "X-Accel-Redirect: /protected/deep/c.txt\r\n\r\n");
        Assert.Equal(HttpStatusCode.PartialContent, answer.StatusCode);
        Assert.Equal("text/plain", answer.Content.Headers.ContentType?.MediaType);
        Assert.Equal("source", await answer.Content.ReadAsStringAsync().Within("the part"));
    }

    [Theory]
    [InlineData("X-Accel-Redirect: /protected/missing.txt")]
    [InlineData("X-Accel-Redirect: /protected/../secret.txt")]
    [InlineData("X-Accel-Redirect: /protected/%2e%2e/secret.txt")]
    [InlineData("X-Accel-Redirect: /protected//etc/hostname")]
    [InlineData("X-Accel-Redirect: /protected/")]
    [InlineData("X-Accel-Redirect: /protected/deep/c.txt%3Fdownload=1")]
    [InlineData("X-Sendfile: {0}/files/deep/c.txt?download=1")]
    [InlineData("X-Sendfile: {0}/files/../secret.txt")]
    public async Task A_file_that_is_not_there_is_not_found(string header)
    {
        using var answer = await AskAsync(
            new HttpRequestMessage(HttpMethod.Get, "/x"), string.Format(null, header, _folder.Path) + "\r\n\r\n");
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
        Assert.Equal("", await answer.Content.ReadAsStringAsync().Within("nothing"));
    }

    [Fact]
    public async Task A_file_that_may_not_be_read_is_forbidden()
    {
        using var answer = await AskAsync(
            new HttpRequestMessage(HttpMethod.Get, "/x"),
            "Set-Cookie: a=1\r\nX-Accel-Redirect: /protected/deep/c.txt\r\n\r\n",
            UnreadableFiles.UseAsync);
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        Assert.False(answer.Headers.Contains("Set-Cookie") || answer.Headers.Contains("ETag"));
        Assert.Equal("", await answer.Content.ReadAsStringAsync().Within("nothing"));
    }

    [Theory]
    [InlineData("X-Accel-Redirect: /other/c.txt")]
    [InlineData("X-Sendfile: {0}/files-not/d.txt")]
    [InlineData("X-Sendfile: files/deep/c.txt")]
    public async Task A_file_elsewhere_is_not_sent(string header)
    {
        using var answer = await AskAsync(
            new HttpRequestMessage(HttpMethod.Get, "/x"), string.Format(null, header, _folder.Path) + "\r\n\r\nbody");
        Assert.Equal("body", await answer.Content.ReadAsStringAsync().Within("the body"));
    }

    [Theory]
    [InlineData("protected/", "/")]
    [InlineData("/protected", "/")]
    [InlineData("/protected/", "files")]
    public async Task A_wrong_entry_fails_at_the_start(string prefix, string directory) =>
        await Assert.ThrowsAsync<ArgumentException>(() => GatewayFront.StartAsync(
            web => web.MapFastCgi("/{**path}", "127.0.0.1:1", options => options.InternalFiles[prefix] = directory)));

    /// <summary>A middleware in front logs what the client asked for, and by which route it was served.</summary>
    [Fact]
    public async Task The_request_is_itself_again_behind_the_file()
    {
        var seen = new TaskCompletionSource<string>();
        using var request = new HttpRequestMessage(HttpMethod.Post, "/x");
        using var answer = await AskAsync(
            request,
            "X-Accel-Redirect: /protected/deep/c.txt\r\n\r\n",
            async (context, next) =>
            {
                await next(context);
                seen.SetResult(
                    $"{context.Request.Method} {context.Request.Path} {context.GetEndpoint()?.DisplayName}");
            });
        Assert.Equal("POST /x FastCGI /{**path} => app", await seen.Task.Within("the end of the request"));
    }

    private async Task<HttpResponseMessage> AskAsync(
        HttpRequestMessage request, string response, Func<HttpContext, RequestDelegate, Task>? before = null)
    {
        using var application = new ScriptedApplication();
        await using var front = await GatewayFront.StartAsync(
            web =>
            {
                web.Use(before ?? (static (context, next) => next(context)));
                web.MapFastCgi("/{**path}", "app", options =>
                {
                    options.ConfigureHandler = handler => handler.ConnectCallback = application.ConnectAsync;
                    options.InternalFiles["/protected/"] = _folder.Path + "/files";
                    options.InternalFiles["/protected/private/"] = _folder.Path + "/other";
                });
            });
        var answering = front.Client.SendAsync(request);
        var connection = await application.AcceptAsync();
        await connection.ExpectRequestAsync();
        await connection.RespondAsync(response);
        return await answering.Within("an answer");
    }
}
