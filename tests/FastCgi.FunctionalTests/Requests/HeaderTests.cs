using Microsoft.Extensions.Primitives;

namespace FastCgi.FunctionalTests.Requests;

public sealed class HeaderTests : FunctionalTest
{
    /// <summary>A request with a header that is not UTF-8, so that its encoding is asked for.</summary>
    private static byte[] Latin1Request => new RecordBuilder()
        .Begin().Params(1, Get().ToParams())
        .Record(4, 1, [11, 4, .. "HTTP_X_NAME"u8, .. "caf"u8, 0xE9])
        .EndParams().EndStdin().ToArray();

    [Fact]
    public async Task Of_the_request_have_their_usual_names()
    {
        var response = await RespondAsync(
            context => context.Response.WriteAsync(string.Join(
                "|",
                context.Request.Headers.UserAgent,
                context.Request.Headers["X-Custom-Thing"],
                context.Request.ContentType,
                context.Request.Headers.ETag.Count)),
            Get() with
            {
                Headers = [("User-Agent", "test"), ("X-Custom-Thing", "custom"), ("Content-Type", "text/plain"), ("ETag", "")],
            });

        Assert.Equal("test|custom|text/plain|0", response.BodyText);
    }

    [Fact]
    public Task Of_the_request_are_utf_8() => AssertRespondsAsync(
        (200, null, "Grüße"),
        context => context.Response.WriteAsync(context.Request.Headers["X-Name"].ToString()),
        Get() with { Headers = [("X-Name", "Grüße")] });

    [Fact]
    public async Task Of_the_request_may_have_another_encoding()
    {
        var peer = await StartAndConnectAsync(
            context => context.Response.WriteAsync(context.Request.Headers["X-Name"].ToString()),
            options => options.RequestHeaderEncodingSelector = name => name == "X-Name" ? Encoding.Latin1 : null);
        var name = RecordBuilder.Pair("HTTP_X_NAME"u8, Encoding.Latin1.GetBytes("Grüße"));

        await peer.SendAsync(new RecordBuilder()
            .Begin().Params(1, Get().ToParams()).Stream(4, 1, name).EndParams().EndStdin());

        Assert.Equal("Grüße", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task Of_the_response_have_one_line_for_each_value()
    {
        var response = await RespondAsync(Run(context =>
        {
            context.Response.Headers.SetCookie = new StringValues(["a=1", null, "b=2"]);
            context.Response.Headers["X-Removed"] = "x";
            context.Response.Headers["X-Removed"] = StringValues.Empty;
        }));

        Assert.Equal(
            ["a=1", "b=2"], response.Headers.Where(header => header.Name == "Set-Cookie").Select(header => header.Value));
        Assert.Null(response.Header("X-Removed"));
    }

    [Fact]
    [HardInput("W4")]
    public async Task Of_the_response_refuse_what_could_split_the_head()
    {
        var response = await RespondAsync(context =>
        {
            var headers = context.Response.Headers;
            Assert.Throws<InvalidOperationException>(() => headers["X-A"] = "a\r\nSet-Cookie: evil=1");
            Assert.Throws<InvalidOperationException>(() => headers["X-B"] = "a\nb");
            Assert.Throws<InvalidOperationException>(() => headers["X-C"] = "a\0b");
            Assert.Throws<InvalidOperationException>(() => headers["X D"] = "x");
            Assert.Throws<InvalidOperationException>(() => headers["X-E"] = "Grüße");
            Assert.Throws<InvalidOperationException>(() => headers.Append("X-Näme", "value"));
            Assert.Throws<InvalidOperationException>(() => context.Response.ContentType = "text/plain; x=你");
            Assert.Throws<InvalidOperationException>(() => headers.Accept = "你");
            Assert.Throws<InvalidOperationException>(() => headers.Append("X-Name", "你"));
            Assert.Throws<InvalidOperationException>(() => headers.Append("X-Name", "a\rb"));
            Assert.Throws<ArgumentException>(() =>
            {
                headers.Add("X-F", "1");
                headers.Add("X-F", "2");
            });
            headers["X-Tab"] = "a\tb";
            return context.Response.WriteAsync("refused");
        });

        Assert.Equal((200, "refused"), (response.StatusCode, response.BodyText));
        Assert.Equal([("X-F", "1"), ("X-Tab", "a\tb")], response.Headers.Order());
    }

    [Fact]
    public async Task Of_one_hop_and_Status_stay_here()
    {
        var response = await RespondAsync(async context =>
        {
            foreach (var name in (string[])["Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Proxy-Connection"])
            {
                context.Response.Headers[name] = "x";
            }

            context.Response.Headers["Status"] = "302 Found";
            await context.Response.WriteAsync("as it is");
        });

        Assert.Equal((200, "as it is"), (response.StatusCode, response.BodyText));
        Assert.Empty(response.Headers);
    }

    [Fact]
    public async Task Status_is_always_there_and_last()
    {
        var peer = await StartAndConnectAsync(Run(context =>
        {
            context.Response.Redirect("/elsewhere");
            context.Response.Headers["X-Zuletzt"] = "z";
            context.Response.StatusCode = int.Parse(context.Request.Path.Value![1..], null);
        }));

        foreach (var (status, reason) in ((int, string)[])[(200, "OK"), (302, "Found"), (404, "Not Found"), (418, "I'm a teapot")])
        {
            var response = await peer.RoundTripAsync(Get($"/{status}"));
            Assert.Equal(status, response.StatusCode);
            Assert.EndsWith($"Status: {status} {reason}\r\n\r\n", response.Head, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_reason_of_the_application_s_own_is_sent()
    {
        var response = await RespondAsync(Run(context =>
            context.Features.Get<IHttpResponseFeature>()!.ReasonPhrase = "Fine"));

        Assert.Equal("Fine", response.Reason);
    }

    [Fact]
    public async Task Neither_Date_nor_Server_is_added()
    {
        var response = await RespondAsync(Write("x"));

        Assert.Empty(response.Headers);
    }

    [Fact]
    public async Task Server_is_added_when_asked_for()
    {
        var response = await RespondAsync(Write("x"), options: options => options.AddServerHeader = true);

        Assert.Equal("FastCgi.AspNetCore", response.Header("Server"));
    }

    [Fact]
    public async Task Are_fixed_from_the_start_on()
    {
        var response = await RespondAsync(async context =>
        {
            await context.Response.StartAsync();
            Assert.Throws<InvalidOperationException>(() => context.Response.Headers["X-Late"] = "x");
            Assert.Throws<InvalidOperationException>(() => context.Response.StatusCode = 404);
            Assert.Throws<InvalidOperationException>(() => context.Response.ContentLength = 1);
            Assert.Throws<InvalidOperationException>(() => context.Response.Headers.Clear());
        });

        Assert.Equal(200, response.StatusCode);
        Assert.Null(response.Header("X-Late"));
    }

    [Fact]
    public async Task Above_the_limits_are_431()
    {
        var peer = await StartAndConnectAsync(Write("x"), options => options.Limits.MaxRequestHeaderCount = 5);
        var many = Enumerable.Range(0, 10).Select(i => ($"X-{i}", "x")).ToList();

        Assert.Equal(431, (await peer.RoundTripAsync(Get() with { Headers = many })).StatusCode);
        Assert.Equal(
            431, (await peer.RoundTripAsync(Get() with { Headers = [("X-Large", new string('x', 40_000))] })).StatusCode);
        await AssertServesAsync(peer);
    }

    /// <summary>The selector is user code: it runs where the application runs.</summary>
    [Fact]
    public async Task A_selector_that_blocks_holds_nobody_else_up()
    {
        var peer = await StartAndConnectAsync(Write("served"), options =>
            options.RequestHeaderEncodingSelector = name =>
            {
                if (name != "X-Name")
                {
                    return null;
                }

                Entered.Reach();
                Unblock.Wait();
                return Encoding.Latin1;
            });

        await peer.SendAsync(Latin1Request);
        await Entered.WaitAsync();
        await peer.SynchronizeAsync();
        Unblock.Set();

        Assert.Equal("served", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task A_selector_that_throws_is_an_error_of_the_application()
    {
        var peer = await StartAndConnectAsync(Write("served"), options =>
            options.RequestHeaderEncodingSelector = name =>
                name == "X-Name" ? throw new InvalidOperationException("the selector") : null);
        Logs.ExpectError(ApplicationError);

        await peer.SendAsync(Latin1Request);
        var response = await peer.ExpectResponseAsync();

        Assert.Equal(500, response.StatusCode);
        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
    }
}
