using System.Text;
using FastCgi.AspNetCore;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

namespace FastCgi.FunctionalTests.Files;

/// <summary>Files that are left to the web server: what it is told, and what is sent as always.</summary>
public sealed class FileHandoverTests : FunctionalTest
{
    private const int HandedOver = 320;
    private const int NotHandedOver = 321;
    private const int HeadersLost = 322;
    private const string Content = "the content of the file";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("fcgi-files-");

    public FileHandoverTests() => File.WriteAllText(PathOf("a.txt"), Content);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_answer_is_a_head_that_names_the_file(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.ContentLength = Content.Length;
            context.Response.Headers.AcceptRanges = "bytes";
            context.Response.Headers.ETag = "\"1\"";
            return SendAsync(context, "a.txt");
        });

        Assert.Equal(
            [("Content-Type", "text/plain"), ("ETag", "\"1\""), ("X-Accel-Redirect", "/_files/a.txt")],
            response.Headers.Order());
        Assert.Equal((200, 0, 0), (response.StatusCode, response.Body.Length, response.ProtocolStatus));
        Assert.Equal(LogLevel.Debug, Assert.Single(Logs.Entries, entry => entry.EventId.Id == HandedOver).Level);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task X_Sendfile_has_the_full_path(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context => SendAsync(context, "a.txt"),
            null,
            options => options.ConfigureEndpointDefaults(
                listen => listen.FileHandover.AddXSendfile(_folder.FullName)));

        Assert.Equal(PathOf("a.txt"), response.Header("X-Sendfile"));
        Assert.Null(response.Header("X-Accel-Redirect"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_path_is_sent_in_UTF8_whatever_encoding_headers_have(ServerTransport transport)
    {
        await File.WriteAllTextAsync(PathOf("é日.txt"), Content);
        foreach (var encoding in (Encoding?[])[null, Encoding.Latin1])
        {
            var response = await RespondAsync(
                transport,
                context => SendAsync(context, "é日.txt"),
                null,
                options =>
                {
                    options.ConfigureEndpointDefaults(listen => listen.FileHandover.AddXSendfile(_folder.FullName));
                    options.ResponseHeaderEncodingSelector = _ => encoding;
                });

            var inLatin1 = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(PathOf("é日.txt")));
            Assert.Equal(inLatin1, response.Header("X-Sendfile"));
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_response_is_complete_while_the_application_still_runs(ServerTransport transport)
    {
        SyncPoint answered = "the answer";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await SendAsync(context, "a.txt");
            Assert.True(context.Response.HasStarted);
            await answered.WaitAsync();
        }, ByUri);

        await peer.SendRequestAsync();
        Assert.Equal("/_files/a.txt", (await peer.ExpectResponseAsync()).Header("X-Accel-Redirect"));

        answered.Reach();
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_later_write_throws_and_the_answer_stays_whole(ServerTransport transport)
    {
        SyncPoint tried = "the writes";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await SendAsync(context, "a.txt");
            foreach (var write in (Func<Task>[])[
                () => context.Response.WriteAsync("more"),
                () => context.Response.Body.WriteAsync(new byte[1]).AsTask(),
                () => SendAsync(context, "a.txt")])
            {
                var exception = await Assert.ThrowsAsync<InvalidOperationException>(write);
                Assert.Contains("the web server sends the file", exception.Message, StringComparison.Ordinal);
            }

            await context.Response.Body.FlushAsync();
            await context.Response.CompleteAsync();
            tried.Reach();
        }, ByUri);

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((200, 0), (response.StatusCode, response.Body.Length));
        await tried.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task OnStarting_runs_first_and_may_change_the_head_and_the_decision(ServerTransport transport)
    {
        var calls = 0;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Response.OnStarting(() =>
            {
                calls++;
                context.Response.Headers["X-Late"] = "1";
                if (context.Request.Path == "/encoded")
                {
                    context.Response.Headers.ContentEncoding = "br";
                }

                return Task.CompletedTask;
            });
            return SendAsync(context, "a.txt");
        }, ByUri);

        var handedOver = await peer.RoundTripAsync(Get());
        Assert.Equal(("/_files/a.txt", "1"), (handedOver.Header("X-Accel-Redirect"), handedOver.Header("X-Late")));

        var sent = await peer.RoundTripAsync(Get("/encoded"));
        Assert.Equal((null, Content), (sent.Header("X-Accel-Redirect"), sent.BodyText));
        Assert.Equal(2, calls);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_OnStarting_that_throws_is_a_500_that_names_no_file(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Response.OnStarting(() => throw new InvalidOperationException("no"));
            return SendAsync(context, "a.txt");
        }, ByUri);
        Logs.ExpectError(13);

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((500, null), (response.StatusCode, response.Header("X-Accel-Redirect")));
        Assert.DoesNotContain(Logs.Entries, static entry => entry.EventId.Id == HandedOver);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_head_that_cannot_be_sent_leaves_no_name_behind(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.ContentLength = Content.Length;
            context.Response.Headers["X-Large"] = new string('x', 70_000);
            await Assert.ThrowsAsync<InvalidOperationException>(() => SendAsync(context, "a.txt"));
            Assert.Equal(Content.Length, context.Response.ContentLength);
            context.Response.Headers.Remove("X-Large");
            context.Response.ContentLength = null;
            await context.Response.WriteAsync("instead");
        });

        Assert.Equal(("instead", null), (response.BodyText, response.Header("X-Accel-Redirect")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_was_written_before_is_sent_with_the_file_as_always(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.BodyWriter.GetSpan(1)[0] = (byte)'<';
            context.Response.BodyWriter.Advance(1);
            await SendAsync(context, "a.txt");
            await context.Response.WriteAsync(">");
        });

        Assert.Equal(($"<{Content}>", null), (response.BodyText, response.Header("X-Accel-Redirect")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_206_becomes_a_200_whose_range_the_web_server_makes(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context =>
            {
                context.Response.StatusCode = 206;
                context.Response.ContentType = "text/plain";
                context.Response.ContentLength = 3;
                context.Response.Headers.ContentRange = $"bytes 4-6/{Content.Length}";
                return context.Response.SendFileAsync(PathOf("a.txt"), 4, 3);
            },
            Get() with { Headers = [("Range", "bytes=4-6")] });

        Assert.Equal((200, "OK", ""), (response.StatusCode, response.Reason, response.BodyText));
        Assert.Equal("/_files/a.txt", response.Header("X-Accel-Redirect"));
        Assert.Null(response.Header("Content-Range"));
        Assert.Null(response.Header("Content-Length"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task For_HEAD_the_file_is_named_as_well(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context => SendAsync(context, "a.txt"), Head());
        Assert.Equal(("/_files/a.txt", 0), (response.Header("X-Accel-Redirect"), response.Body.Length));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_file_of_another_folder_is_sent_as_always(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context => SendAsync(context, "a.txt"),
            null,
            options => options.ConfigureEndpointDefaults(
                listen => listen.FileHandover.AddXAccelRedirect(PathOf("subfolder"), "/_files/")));

        Assert.Equal((Content, null), (response.BodyText, response.Header("X-Accel-Redirect")));
    }

    /// <summary>The web server would take a type from the extension: text/html for an upload.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_file_without_a_type_is_sent_as_always_and_has_none(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context => context.Response.SendFileAsync(PathOf("a.txt")));

        Assert.Equal((Content, null), (response.BodyText, response.Header("X-Accel-Redirect")));
        Assert.Null(response.Header("Content-Type"));
        Assert.Contains(
            "no Content-Type",
            Assert.Single(Logs.Entries, entry => entry.EventId.Id == NotHandedOver).Message,
            StringComparison.Ordinal);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_is_not_in_the_file_is_refused_as_always(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            await Assert.ThrowsAsync<FileNotFoundException>(() => context.Response.SendFileAsync(PathOf("gone")));
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
                () => context.Response.SendFileAsync(PathOf("a.txt"), 0, Content.Length + 1));
            Assert.False(context.Response.HasStarted);
            context.Response.StatusCode = 404;
        });

        Assert.Equal((404, null), (response.StatusCode, response.Header("X-Accel-Redirect")));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_applications_own_header_is_left_alone(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.Headers["X-Accel-Redirect"] = "/mine";
            await SendAsync(context, "a.txt");
        });

        Assert.Equal(("/mine", Content), (response.Header("X-Accel-Redirect"), response.BodyText));
        Assert.Equal(
            LogLevel.Debug, Assert.Single(Logs.Entries, entry => entry.EventId.Id == NotHandedOver).Level);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Headers_that_nginx_drops_are_told_of_once(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Response.Headers.Vary = "Cookie";
            context.Response.Headers.CacheControl = "private";
            context.Response.Headers.XContentTypeOptions = "nosniff";
            return SendAsync(context, "a.txt");
        }, ByUri);

        for (var i = 0; i < 2; i++)
        {
            var response = await peer.RoundTripAsync(Get());
            Assert.Equal((null, "nosniff", Content), (
                response.Header("X-Accel-Redirect"), response.Header("X-Content-Type-Options"), response.BodyText));
        }

        var entry = Assert.Single(Logs.Entries, entry => entry.EventId.Id == HeadersLost);
        Assert.Equal(LogLevel.Information, entry.Level);
        Assert.Contains("Vary", entry.Message, StringComparison.Ordinal);
        Assert.Contains("X-Content-Type-Options", entry.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Cache-Control", entry.Message, StringComparison.Ordinal);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_header_that_nginx_relays_is_no_obstacle_unless_it_has_two_lines(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
        {
            context.Response.Headers["x-relayed"] = new StringValues(context.Request.Path == "/two" ? ["1", "2"] : ["1"]);
            return SendAsync(context, "a.txt");
        }, ByUri);

        Assert.Equal("/_files/a.txt", (await peer.RoundTripAsync(Get())).Header("X-Accel-Redirect"));
        Assert.Equal(Content, (await peer.RoundTripAsync(Get("/two"))).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Only_a_web_server_that_knows_the_header_gets_it(ServerTransport transport)
    {
        foreach (var byUri in (bool[])[true, false])
        {
            var peer = await StartAndConnectAsync(
                transport,
                context => SendAsync(context, "a.txt"),
                options =>
                {
                    if (byUri)
                    {
                        ByUri(options);
                    }
                    else
                    {
                        options.ConfigureEndpointDefaults(
                            listen => listen.FileHandover.AddXSendfile(_folder.FullName));
                    }
                });
            (string Software, bool KnowsUri, bool KnowsPath)[] cases =
            [
                ("nginx/1.22.1", true, false), ("Angie/1.10.0", true, false), ("Apache/2.4.71", false, true),
                ("lighttpd/1.4.69", false, true),
                ("Caddy/v2.6.2", false, false), ("HAProxy 2.6", false, false), ("", true, true), ("other", true, true),
            ];
            foreach (var (software, knowsUri, knowsPath) in cases)
            {
                var response = await peer.RoundTripAsync(
                    Get() with { ExtraParams = [("SERVER_SOFTWARE", software)] });
                Assert.Equal((byUri ? knowsUri : knowsPath) ? "" : Content, response.BodyText);
            }
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_next_request_on_the_connection_sends_a_body_again(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context => context.Request.Path == "/file"
            ? SendAsync(context, "a.txt")
            : context.Response.WriteAsync("text"), ByUri);

        for (var round = 0; round < 3; round++)
        {
            Assert.Equal("/_files/a.txt", (await peer.RoundTripAsync(Get("/file"))).Header("X-Accel-Redirect"));
            Assert.Equal("text", (await peer.RoundTripAsync(Get())).BodyText);
        }
    }

    private Task<CgiResponse> RespondAsync(
        ServerTransport transport, RequestDelegate application, RequestScript? request = null) =>
        RespondAsync(transport, application, request, ByUri);

    private void ByUri(FastCgiServerOptions options) => options.ConfigureEndpointDefaults(listen =>
    {
        listen.FileHandover.AddXAccelRedirect(_folder.FullName, "/_files/");
        listen.FileHandover.RelayedHeaders.UnionWith(["X-Late", "X-Large", "X-Relayed"]);
    });

    private Task SendAsync(HttpContext context, string name)
    {
        context.Response.ContentType ??= "text/plain";
        return context.Response.SendFileAsync(PathOf(name));
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);
}
