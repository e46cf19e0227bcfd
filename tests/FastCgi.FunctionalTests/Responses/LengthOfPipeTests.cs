using System.Buffers;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>Content-Length, where the body is written by the pipe or over several writes.</summary>
public sealed class LengthOfPipeTests : FunctionalTest
{
    private const int ApplicationError = 13;

    public enum Way
    {
        Pipe,
        Stream,
        Text,
    }

    public static MatrixTheoryData<Way, int> Ways { get; } = new(Enum.GetValues<Way>(), [1, 2]);

    [Theory, MemberData(nameof(Ways))]
    public async Task OnStarting_may_remove_the_length_that_the_writes_exceed(Way way, int writes)
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.OnStarting(() =>
            {
                context.Response.ContentLength = null;
                return Task.CompletedTask;
            });
            context.Response.ContentLength = 11;
            for (var i = 0; i < writes; i++)
            {
                await WriteBy(way, context.Response, "hello, world"[(12 / writes * i)..(12 / writes * (i + 1))]);
            }
        });

        Assert.Equal(("hello, world", null), (response.BodyText, response.Header("Content-Length")));
    }

    [Theory, MemberData(nameof(Ways))]
    public async Task More_than_the_length_throws(Way way, int writes)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 11;
            for (var i = 0; i < writes; i++)
            {
                await WriteBy(way, context.Response, "hello, world"[(12 / writes * i)..(12 / writes * (i + 1))]);
            }
        });
        Logs.ExpectError(entry => entry.Exception is InvalidOperationException { Message: var message }
            && message.Contains("11", StringComparison.Ordinal) && message.Contains("12", StringComparison.Ordinal));

        await peer.SendRequestAsync();

        if (way == Way.Text && writes == 1)
        {
            // A text starts the response before it is written.
            Assert.Equal("", (await peer.ExpectTornResponseAsync()).BodyText);
        }
        else if (writes == 1)
        {
            var response = await peer.ExpectResponseAsync();
            Assert.Equal((500, "0", ""), (response.StatusCode, response.Header("Content-Length"), response.BodyText));
        }
        else
        {
            Assert.Equal("hello,", (await peer.ExpectTornResponseAsync()).BodyText);
        }

        await Logs.WaitForAsync(ApplicationError);
    }

    [Fact]
    public async Task One_lease_may_be_advanced_twice()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.ContentLength = 12;
            if (context.Request.Path == "/started")
            {
                await context.Response.StartAsync();
            }

            var memory = context.Response.BodyWriter.GetMemory(4096);
            "Hello "u8.CopyTo(memory.Span);
            context.Response.BodyWriter.Advance(6);
            "World!"u8.CopyTo(memory.Span[6..]);
            context.Response.BodyWriter.Advance(6);
        });

        var unstarted = await peer.RoundTripAsync(Get());
        var started = await peer.RoundTripAsync(Get("/started"));

        Assert.Equal(("Hello World!", "12"), (unstarted.BodyText, unstarted.Header("Content-Length")));
        Assert.Equal(("Hello World!", "12"), (started.BodyText, started.Header("Content-Length")));
    }

    [Fact]
    public async Task A_large_body_that_is_not_flushed_is_sent_at_the_end()
    {
        const int Size = 100_000;
        var response = await RespondAsync(context =>
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
            return Task.CompletedTask;
        });

        Assert.Equal($"{Size}", response.Header("Content-Length"));
        Assert.Equal(new string('a', Size), response.BodyText);
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
            await context.Response.StartAsync();
            Assert.Throws<InvalidOperationException>(() => writer.Advance(1));
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
    public async Task A_length_of_zero_without_a_body_may_be_flushed()
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.ContentLength = 0;
            await context.Response.BodyWriter.FlushAsync();
        });

        Assert.Equal((200, "0"), (response.StatusCode, response.Header("Content-Length")));
    }

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
            var unknown = await peer.RoundTripAsync(Get());
            var known = await peer.RoundTripAsync(Get("/length"));
            var nothing = await peer.RoundTripAsync(Get("/nothing"));
            Assert.Equal(("a", null), (unknown.BodyText, unknown.Header("Content-Length")));
            Assert.Equal(("a", "1"), (known.BodyText, known.Header("Content-Length")));
            Assert.Equal(("", "0"), (nothing.BodyText, nothing.Header("Content-Length")));
        }
    }

    private static async Task WriteBy(Way way, HttpResponse response, string text)
    {
        var bytes = System.Text.Encoding.ASCII.GetBytes(text);
        switch (way)
        {
            case Way.Pipe:
                await response.BodyWriter.WriteAsync(bytes);
                break;
            case Way.Stream:
                await response.Body.WriteAsync(bytes);
                break;
            default:
                await response.WriteAsync(text);
                break;
        }
    }
}
