namespace FastCgi.FunctionalTests.Responses;

/// <summary>Content-Length, where the body is written by the pipe or over several writes.</summary>
public sealed class LengthOfPipeTests : FunctionalTest
{
    private static readonly Dictionary<string, Func<HttpResponse, string, Task>> s_ways = new()
    {
        ["pipe"] = (response, text) => response.BodyWriter.WriteAsync(Encoding.ASCII.GetBytes(text)).AsTask(),
        ["stream"] = (response, text) => response.Body.WriteAsync(Encoding.ASCII.GetBytes(text)).AsTask(),
        ["text"] = (response, text) => response.WriteAsync(text),
    };

    public static MatrixTheoryData<string, int> Ways { get; } = new(s_ways.Keys, [1, 2]);

    [Theory, MemberData(nameof(Ways))]
    public Task OnStarting_may_remove_the_length_that_the_writes_exceed(string way, int writes) =>
        AssertRespondsAsync((200, null, "hello, world"), context =>
        {
            context.Response.OnStarting(() => context.Response.ContentLength = null);
            return WriteTwelveBytesAsync(context.Response, way, writes);
        });

    [Theory, MemberData(nameof(Ways))]
    public async Task More_than_the_length_throws(string way, int writes)
    {
        var peer = await StartAndConnectAsync(context => WriteTwelveBytesAsync(context.Response, way, writes));
        Logs.ExpectError(entry => entry.Exception is InvalidOperationException { Message: var message }
            && message.Contains("11", StringComparison.Ordinal) && message.Contains("12", StringComparison.Ordinal));

        await peer.SendRequestAsync();

        if (writes == 2 || way == "text")
        {
            // A text starts the response before it is written.
            Assert.Equal(writes == 2 ? "hello," : "", (await peer.ExpectTornResponseAsync()).BodyText);
        }
        else
        {
            AssertResponse((500, "0", ""), await peer.ExpectResponseAsync());
        }

        await Logs.WaitForAsync(ApplicationError);
    }

    [Theory]
    [InlineData(4096, false)]
    [InlineData(4096, true)]
    [InlineData(70_000, true)]
    public Task One_lease_may_be_advanced_twice(int size, bool isStarted) =>
        AssertRespondsAsync((200, "12", "Hello World!"), async context =>
        {
            context.Response.ContentLength = 12;
            if (isStarted)
            {
                await context.Response.StartAsync();
            }

            var memory = context.Response.BodyWriter.GetMemory(size);
            "Hello "u8.CopyTo(memory.Span);
            context.Response.BodyWriter.Advance(6);
            "World!"u8.CopyTo(memory.Span[6..]);
            context.Response.BodyWriter.Advance(6);
        });

    [Fact]
    public Task A_large_body_that_is_not_flushed_is_sent_at_the_end()
    {
        const int Size = 100_000;
        return AssertRespondsAsync((200, $"{Size}", new string('a', Size)), Run(context =>
        {
            context.Response.ContentLength = Size;
            for (var left = Size; left > 0;)
            {
                var span = context.Response.BodyWriter.GetSpan();
                var part = Math.Min(left, span.Length);
                span[..part].Fill((byte)'a');
                context.Response.BodyWriter.Advance(part);
                left -= part;
            }

            Assert.False(context.Response.HasStarted);
        }));
    }

    [Fact]
    public async Task Nothing_can_be_advanced_that_was_not_leased()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            if (context.Request.Path == "/lease")
            {
                writer.GetMemory();
                return;
            }

            Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(-1));
            Assert.Throws<InvalidOperationException>(() => writer.Advance(1));
            AssertRefusesMoreThanLeased(writer);
            await context.Response.StartAsync();
            Assert.Throws<InvalidOperationException>(() => writer.Advance(1));
            AssertRefusesMoreThanLeased(writer);
        });

        Assert.Equal("", (await peer.RoundTripAsync(Get())).BodyText);
        Assert.Equal("0", (await peer.RoundTripAsync(Get("/lease"))).Header("Content-Length"));
        Assert.Equal("", (await peer.RoundTripAsync(Get())).BodyText);
    }

    [Fact]
    public async Task Unflushed_bytes_are_those_of_the_body()
    {
        var response = await RespondAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            Assert.True(writer.CanGetUnflushedBytes);
            Assert.Equal(0, writer.UnflushedBytes);
            var total = 0;
            for (var round = 0; round < 2; round++)
            {
                for (var i = 1; i <= 2; i++)
                {
                    var length = writer.GetMemory().Length;
                    writer.Advance(length);
                    total += length;
                    Assert.Equal(total, writer.UnflushedBytes);
                }

                await writer.FlushAsync();
                await Task.Yield();
                await writer.FlushAsync();
                Assert.Equal(0, writer.UnflushedBytes);
                total = 0;
            }
        });

        Assert.Equal(200, response.StatusCode);
    }

    [Fact]
    public Task A_length_of_zero_without_a_body_may_be_flushed() => AssertRespondsAsync((200, "0", ""), async context =>
    {
        context.Response.ContentLength = 0;
        await context.Response.BodyWriter.FlushAsync();
    });

    [Fact]
    public async Task A_response_with_a_length_and_one_without_take_turns()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = context.Request.Path == "/length" ? 1 : null;
            if (context.Request.Path != "/nothing")
            {
                context.Response.BodyWriter.Write("a"u8);
                await context.Response.BodyWriter.FlushAsync();
            }
        });

        for (var i = 0; i < 3; i++)
        {
            AssertResponse((200, null, "a"), await peer.RoundTripAsync(Get()));
            AssertResponse((200, "1", "a"), await peer.RoundTripAsync(Get("/length")));
            AssertResponse((200, "0", ""), await peer.RoundTripAsync(Get("/nothing")));
        }
    }

    private static void AssertRefusesMoreThanLeased(PipeWriter writer)
    {
        var length = writer.GetMemory(1).Length;
        Assert.Throws<InvalidOperationException>(() => writer.Advance(length + 1));
    }

    /// <summary>One more than Content-Length says.</summary>
    private static async Task WriteTwelveBytesAsync(HttpResponse response, string way, int writes)
    {
        response.ContentLength = 11;
        foreach (var part in "hello, world".Chunk(12 / writes))
        {
            await s_ways[way](response, new string(part));
        }
    }
}
