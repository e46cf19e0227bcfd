namespace FastCgi.Client.Tests.Responses;

/// <summary>A Location that is a path, and no Status (RFC 3875, section 6.2.2).</summary>
public sealed class LocalRedirectTests
{
    [Fact]
    public async Task A_local_redirect_is_answered_with_its_target()
    {
        using var application = new ScriptedApplication(static options =>
        {
            options.MaxConnections = 1;
            options.DocumentRoot = "/srv";
            options.KeepConnection = true;
        });
        using var request = ScriptedApplication.Post(new StringContent("body"));
        request.RequestUri = new Uri("http://localhost/a.php");
        request.Options.Set(FastCgiRequestOptions.ScriptName, "/front.php");
        var (connection, sending) = await application.OpenAsync(request);
        Assert.Equal("/srv/front.php", (await connection.ExpectRequestAsync())["SCRIPT_FILENAME"]);
        await connection.RespondAsync("Location: /b.php?c=d\n\n");
        var second = await connection.ExpectRequestAsync();
        Assert.Equal("GET", second["REQUEST_METHOD"]);
        Assert.Equal("/srv/b.php", second["SCRIPT_FILENAME"]);
        Assert.Equal("c=d", second["QUERY_STRING"]);
        Assert.DoesNotContain("CONTENT_LENGTH", second.Parameters.Keys);
        await connection.AnswerAsync(sending, "target");
    }

    [Fact]
    public async Task A_local_redirect_has_its_own_path_and_query()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/a");
        request.Options.Set(FastCgiRequestOptions.Parameters, new Dictionary<string, string?>
        {
            ["QUERY_STRING"] = "own",
            ["PATH_INFO"] = "/own",
            ["DOCUMENT_URI"] = "/own",
            ["REMOTE_USER"] = "ada",
        });
        var (connection, sending) = await application.OpenAsync(request);
        Assert.Equal("own", (await connection.ExpectRequestAsync())["QUERY_STRING"]);
        await connection.RespondAsync("Location: /b?c=d\n\n");
        var second = await connection.ExpectRequestAsync();
        Assert.Equal("c=d", second["QUERY_STRING"]);
        Assert.Equal("/b", second["PATH_INFO"]);
        Assert.Equal("/b", second["DOCUMENT_URI"]);
        Assert.Equal("ada", second["REMOTE_USER"]);
        await connection.AnswerAsync(sending);
    }

    /// <summary>The bytes of UTF-8 as they are in a head; a target has them escaped, as a browser sends them.</summary>
    [Fact]
    public async Task A_local_redirect_to_letters_beyond_ASCII_names_them()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, sending) = await application.BeginAsync();
        await connection.RespondAsync("Location: /\u00c3\u00a4%20?\u00c3\u00b6\n\n");
        var second = await connection.ExpectRequestAsync();
        Assert.Equal("/%C3%A4%20?%C3%B6", second["REQUEST_URI"]);
        Assert.Equal("%C3%B6", second["QUERY_STRING"]);
        Assert.Equal("/\u00e4 ", second["PATH_INFO"]);
        await connection.AnswerAsync(sending);
    }

    [Theory]
    [InlineData("Location: /b\n\n", false)]
    [InlineData("Location: //host/b\n\n", true)]
    [InlineData("Location: https://example.org/b\n\n", true)]
    [InlineData("Status: 302 Found\nLocation: /b\n\n", true)]
    public async Task Other_redirects_are_the_callers_matter(string answer, bool follow)
    {
        using var application = new ScriptedApplication(options => options.FollowLocalRedirects = follow);
        var (connection, sending) = await application.BeginAsync();
        await connection.RespondAsync(answer);
        using var response = await sending.Within("a response");
        Assert.Equal(HttpStatusCode.Found, response.StatusCode);
        Assert.NotNull(response.Headers.Location);
    }

    [Fact]
    public async Task Redirects_without_an_end_are_an_error()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, sending) = await application.OpenAsync();
        for (int i = 0; i <= 10; i++)
        {
            await connection.ExpectRequestAsync();
            await connection.RespondAsync("Location: /again\n\n");
        }

        await sending.FailsAsync(FastCgiError.TooManyRedirects);
    }
}
