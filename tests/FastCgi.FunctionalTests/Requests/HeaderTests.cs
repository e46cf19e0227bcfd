namespace FastCgi.FunctionalTests.Requests;

public sealed class HeaderTests : FunctionalTest
{
    /// <summary>A request with a header that is not UTF-8, so that its encoding is asked for.</summary>
    private static byte[] Latin1Request => new RecordBuilder()
        .Begin().Params(1, Get().ToParams())
        .Record(4, 1, [11, 4, .. "HTTP_X_NAME"u8, .. "caf"u8, 0xE9])
        .EndParams().EndStdin().ToArray();

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
