using Microsoft.Extensions.Primitives;

namespace FastCgi.FunctionalTests.Files;

/// <summary>Files that are left to the web server: what it is told, and what is sent as always.</summary>
public sealed class FileHandoverTests : FunctionalTest
{
    private const string Content = "the content of the file";

    public FileHandoverTests() => File.WriteAllText(PathOf("a.txt"), Content);

    [Fact]
    public async Task The_answer_is_a_head_that_names_the_file()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.ContentLength = Content.Length;
            context.Response.Headers.AcceptRanges = "bytes";
            context.Response.Headers.ETag = "\"1\"";
            return SendAsync(context);
        });

        Assert.Equal(
            [("Content-Type", "text/plain"), ("ETag", "\"1\""), ("X-Accel-Redirect", "/_files/a.txt")],
            response.Headers.Order());
        Assert.Equal((200, 0, 0), (response.StatusCode, response.Body.Length, response.ProtocolStatus));
        Assert.Equal(LogLevel.Debug, Assert.Single(Logs.Entries, entry => entry.EventId.Id == FileHandedOver).Level);
    }

    [Fact]
    public async Task X_Sendfile_has_the_full_path()
    {
        var response = await RespondAsync(SendAsync, null, ByPath);

        Assert.Equal(PathOf("a.txt"), response.Header("X-Sendfile"));
        Assert.Null(response.Header("X-Accel-Redirect"));
    }

    [Fact]
    public async Task A_path_is_sent_in_UTF8_whatever_encoding_headers_have()
    {
        await File.WriteAllTextAsync(PathOf("é日.txt"), Content);
        foreach (var encoding in (Encoding?[])[null, Encoding.Latin1])
        {
            var response = await RespondAsync(
                context => SendAsync(context, "é日.txt"),
                null,
                options =>
                {
                    ByPath(options);
                    options.ResponseHeaderEncodingSelector = _ => encoding;
                });

            var inLatin1 = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(PathOf("é日.txt")));
            Assert.Equal(inLatin1, response.Header("X-Sendfile"));
        }
    }

    [Fact]
    public async Task The_response_is_complete_while_the_application_still_runs()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await SendAsync(context);
            Assert.True(context.Response.HasStarted);
            await GoOn.WaitAsync();
        }, ByUri);

        AssertHandedOver(await peer.RoundTripAsync(Get()));

        GoOn.Reach();
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_later_write_throws_and_the_answer_stays_whole()
    {
        var response = await RespondAsync(async context =>
        {
            await SendAsync(context);
            foreach (var write in (Func<Task>[])[
                () => context.Response.WriteAsync("more"),
                () => context.Response.Body.WriteAsync(new byte[1]).AsTask(),
                () => SendAsync(context)])
            {
                var exception = await Assert.ThrowsAsync<InvalidOperationException>(write);
                Assert.Contains("the web server sends the file", exception.Message, StringComparison.Ordinal);
            }

            await context.Response.Body.FlushAsync();
            await context.Response.CompleteAsync();
            Left.Reach();
        });

        Assert.Equal((200, 0), (response.StatusCode, response.Body.Length));
        await Left.WaitAsync();
    }

    [Fact]
    public async Task OnStarting_runs_first_and_may_change_the_head_and_the_decision()
    {
        var calls = 0;
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() =>
            {
                calls++;
                context.Response.Headers["X-Late"] = "1";
                context.Response.Headers.ContentEncoding =
                    context.Request.Path == "/encoded" ? "br" : default(StringValues);
            });
            return SendAsync(context);
        }, ByUri);

        var handedOver = await peer.RoundTripAsync(Get());
        AssertHandedOver(handedOver);
        Assert.Equal("1", handedOver.Header("X-Late"));

        AssertSent(await peer.RoundTripAsync(Get("/encoded")));
        Assert.Equal(2, calls);
    }

    [Fact]
    public async Task An_OnStarting_that_throws_is_a_500_that_names_no_file()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() => throw new InvalidOperationException("no"));
            return SendAsync(context);
        }, ByUri);
        Logs.ExpectError(ApplicationError);

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((500, null), (response.StatusCode, response.Header("X-Accel-Redirect")));
        Assert.DoesNotContain(Logs.Entries, static entry => entry.EventId.Id == FileHandedOver);
    }

    [Fact]
    public async Task A_head_that_cannot_be_sent_leaves_no_name_behind() => AssertSent(
        await RespondAsync(async context =>
        {
            context.Response.ContentLength = Content.Length;
            context.Response.Headers["X-Large"] = new string('x', 70_000);
            await Assert.ThrowsAsync<InvalidOperationException>(() => SendAsync(context));
            Assert.Equal(Content.Length, context.Response.ContentLength);
            context.Response.Headers.Remove("X-Large");
            context.Response.ContentLength = null;
            await context.Response.WriteAsync("instead");
        }),
        "instead");

    [Fact]
    public async Task What_was_written_before_is_sent_with_the_file_as_always() => AssertSent(
        await RespondAsync(async context =>
        {
            context.Response.BodyWriter.Write("<"u8);
            await SendAsync(context);
            await context.Response.WriteAsync(">");
        }),
        $"<{Content}>");

    [Fact]
    public async Task A_206_becomes_a_200_whose_range_the_web_server_makes()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Response.StatusCode = 206;
                context.Response.ContentType = "text/plain";
                context.Response.ContentLength = 3;
                context.Response.Headers.ContentRange = $"bytes 4-6/{Content.Length}";
                return context.Response.SendFileAsync(PathOf("a.txt"), 4, 3);
            },
            Get() with { Headers = [("Range", "bytes=4-6")] });

        Assert.Equal((200, "OK"), (response.StatusCode, response.Reason));
        AssertHandedOver(response);
        Assert.Null(response.Header("Content-Range"));
        Assert.Null(response.Header("Content-Length"));
    }

    [Fact]
    public async Task For_HEAD_the_file_is_named_as_well() => AssertHandedOver(await RespondAsync(SendAsync, Head()));

    [Fact]
    public async Task A_file_of_another_folder_is_sent_as_always() => AssertSent(await RespondAsync(
        SendAsync,
        null,
        options => options.ConfigureEndpointDefaults(
            listen => listen.FileHandover.AddXAccelRedirect(PathOf("subfolder"), "/_files/"))));

    /// <summary>The web server would take a type from the extension: text/html for an upload.</summary>
    [Fact]
    public async Task A_file_without_a_type_is_sent_as_always_and_has_none()
    {
        var response = await RespondAsync(context => context.Response.SendFileAsync(PathOf("a.txt")));

        AssertSent(response);
        Assert.Null(response.Header("Content-Type"));
        Assert.Contains(
            "no Content-Type",
            Assert.Single(Logs.Entries, entry => entry.EventId.Id == FileNotHandedOver).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_not_in_the_file_is_refused_as_always()
    {
        var response = await RespondAsync(async context =>
        {
            await Assert.ThrowsAsync<FileNotFoundException>(() => context.Response.SendFileAsync(PathOf("gone")));
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
                () => context.Response.SendFileAsync(PathOf("a.txt"), 0, Content.Length + 1));
            Assert.False(context.Response.HasStarted);
            context.Response.StatusCode = 404;
        });

        Assert.Equal((404, null), (response.StatusCode, response.Header("X-Accel-Redirect")));
    }

    [Fact]
    public async Task The_applications_own_header_is_left_alone()
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.Headers["X-Accel-Redirect"] = "/mine";
            await SendAsync(context);
        });

        Assert.Equal(("/mine", Content), (response.Header("X-Accel-Redirect"), response.BodyText));
        Assert.Equal(
            LogLevel.Debug, Assert.Single(Logs.Entries, entry => entry.EventId.Id == FileNotHandedOver).Level);
    }

    [Fact]
    public async Task Headers_that_nginx_drops_are_told_of_once()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.Headers.Vary = "Cookie";
            context.Response.Headers.CacheControl = "private";
            context.Response.Headers.XContentTypeOptions = "nosniff";
            return SendAsync(context);
        }, ByUri);

        for (var i = 0; i < 2; i++)
        {
            var response = await peer.RoundTripAsync(Get());
            AssertSent(response);
            Assert.Equal("nosniff", response.Header("X-Content-Type-Options"));
        }

        var entry = Assert.Single(Logs.Entries, entry => entry.EventId.Id == HeadersOfFileLost);
        Assert.Equal(LogLevel.Information, entry.Level);
        Assert.Contains("Vary", entry.Message, StringComparison.Ordinal);
        Assert.Contains("X-Content-Type-Options", entry.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Cache-Control", entry.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_header_that_nginx_relays_is_no_obstacle_unless_it_has_two_lines()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.Headers["x-relayed"] = new StringValues(context.Request.Path == "/two" ? ["1", "2"] : ["1"]);
            return SendAsync(context);
        }, ByUri);

        AssertHandedOver(await peer.RoundTripAsync(Get()));
        AssertSent(await peer.RoundTripAsync(Get("/two")));
    }

    [Theory]
    [InlineData("nginx/1.22.1", true, false)]
    [InlineData("Angie/1.10.0", true, false)]
    [InlineData("Apache/2.4.71", false, true)]
    [InlineData("lighttpd/1.4.69", false, true)]
    [InlineData("Caddy/v2.6.2", false, false)]
    [InlineData("HAProxy 2.6", false, false)]
    [InlineData("", true, true)]
    [InlineData("other", true, true)]
    public async Task Only_a_web_server_that_knows_the_header_gets_it(string software, bool knowsUri, bool knowsPath)
    {
        var request = Get() with { ExtraParams = [("SERVER_SOFTWARE", software)] };

        Assert.Equal(knowsUri ? "" : Content, (await RespondAsync(SendAsync, request)).BodyText);
        Assert.Equal(knowsPath ? "" : Content, (await RespondAsync(SendAsync, request, ByPath)).BodyText);
    }

    [Fact]
    public async Task The_next_request_on_the_connection_sends_a_body_again()
    {
        var peer = await StartAndConnectAsync(
            context => context.Request.Path == "/file" ? SendAsync(context) : context.Response.WriteAsync("text"),
            ByUri);

        for (var round = 0; round < 3; round++)
        {
            AssertHandedOver(await peer.RoundTripAsync(Get("/file")));
            AssertSent(await peer.RoundTripAsync(Get()), "text");
        }
    }

    [Fact]
    public async Task Each_endpoint_has_its_own_directories()
    {
        await StartAsync(SendAsync, options =>
        {
            ByUri(options);
            options.ListenUnixSocket(PathOf("default.sock"));
            options.ListenUnixSocket(PathOf("none.sock"), static listen => listen.FileHandover.Clear());
            options.ListenUnixSocket(PathOf("path.sock"), listen => listen.FileHandover.AddXSendfile(Folder));
        });

        AssertHandedOver(await AskAsync("default.sock"));
        AssertSent(await AskAsync("none.sock"));
        Assert.Equal(PathOf("a.txt"), (await AskAsync("path.sock")).Header("X-Sendfile"));
    }

    [Fact]
    public async Task A_request_can_keep_its_files_to_this_server()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var feature = context.Features.Get<IFastCgiRequestFeature>()!;
            Assert.True(feature.AllowFileHandover);
            if (context.Request.Path == "/kept")
            {
                feature.AllowFileHandover = false;
                Assert.False(feature.AllowFileHandover);
            }
            else if (context.Request.Path == "/late")
            {
                context.Response.OnStarting(() => feature.AllowFileHandover = false);
            }

            await SendAsync(context);
            Assert.Throws<InvalidOperationException>(() => feature.AllowFileHandover = true);
        }, ByUri);

        AssertHandedOver(await peer.RoundTripAsync(Get()));
        AssertSent(await peer.RoundTripAsync(Get("/kept")));
        AssertSent(await peer.RoundTripAsync(Get("/late")));
        AssertHandedOver(await peer.RoundTripAsync(Get()));
        var reasons = Logs.Entries.Where(static entry => entry.EventId.Id == FileNotHandedOver).ToList();
        Assert.Equal(2, reasons.Count);
        Assert.All(
            reasons, static entry => Assert.Contains("AllowFileHandover", entry.Message, StringComparison.Ordinal));
    }

    private static void AssertHandedOver(CgiResponse response) =>
        Assert.Equal(("/_files/a.txt", ""), (response.Header("X-Accel-Redirect"), response.BodyText));

    private static void AssertSent(CgiResponse response, string body = Content) =>
        Assert.Equal((null, body), (response.Header("X-Accel-Redirect"), response.BodyText));

    private Task<CgiResponse> RespondAsync(RequestDelegate application, RecordBuilder? request = null) =>
        RespondAsync(application, request, ByUri);

    private async Task<CgiResponse> AskAsync(string socket)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(PathOf(socket)));
        return await peer.RoundTripAsync(Get());
    }

    private void ByUri(FastCgiServerOptions options) => options.ConfigureEndpointDefaults(listen =>
    {
        listen.FileHandover.AddXAccelRedirect(Folder, "/_files/");
        listen.FileHandover.RelayedHeaders.UnionWith(["X-Late", "X-Large", "X-Relayed"]);
    });

    private void ByPath(FastCgiServerOptions options) => options.ConfigureEndpointDefaults(
        listen => listen.FileHandover.AddXSendfile(Folder));

    private Task SendAsync(HttpContext context) => SendAsync(context, "a.txt");

    private Task SendAsync(HttpContext context, string name)
    {
        context.Response.ContentType ??= "text/plain";
        return context.Response.SendFileAsync(PathOf(name));
    }

    private string PathOf(string name) => Path.Combine(Folder, name);
}
