using FastCgi.AspNetCore.Requests;

namespace FastCgi.FunctionalTests.Responses;

public sealed class ResponsePipeTests : FunctionalTest
{
    [Fact]
    public Task GetSpan_and_GetMemory_work_before_and_after_the_start() =>
        AssertRespondsAsync((200, null, "abcdefgh"), async context =>
        {
            var writer = context.Response.BodyWriter;
            "ab"u8.CopyTo(writer.GetSpan(2));
            writer.Advance(2);
            "cd"u8.CopyTo(writer.GetMemory(2).Span);
            writer.Advance(2);
            await context.Response.StartAsync();
            "ef"u8.CopyTo(writer.GetSpan(2));
            writer.Advance(2);
            await writer.FlushAsync();
            "gh"u8.CopyTo(writer.GetMemory(2).Span);
            writer.Advance(2);
        });

    [Fact]
    public async Task Memory_of_any_size_can_be_had()
    {
        var sizes = (int[])[0, 1, 4096, 65_535, 65_536, 300_000];
        var response = await RespondAsync(async context =>
        {
            foreach (var size in (int[])[.. sizes, .. sizes])
            {
                var memory = context.Response.BodyWriter.GetMemory(size);
                Assert.True(memory.Length >= Math.Max(size, 1));
                memory.Span[..size].Fill((byte)'x');
                context.Response.BodyWriter.Advance(size);
                await context.Response.StartAsync();
            }
        });

        Assert.Equal(2 * sizes.Sum(), response.Body.Length);
        Assert.DoesNotContain(response.Body, value => value != 'x');
    }

    [Fact]
    public async Task Memory_from_before_the_start_cannot_be_advanced_after_it()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            writer.GetMemory(10);
            await context.Response.StartAsync();
            Assert.Throws<InvalidOperationException>(() => writer.Advance(10));
            writer.Advance(0);
            writer.GetMemory(10);
            writer.Advance(10);
        });

        Assert.Equal(10, (await peer.RoundTripAsync(Get())).Body.Length);
        Assert.Equal(10, (await peer.RoundTripAsync(Get())).Body.Length);
    }

    [Fact]
    public Task CancelPendingFlush_gives_a_cancelled_result() => AssertRespondsAsync((200, null, "ab"), async context =>
    {
        var writer = context.Response.BodyWriter;
        writer.CancelPendingFlush();
        Assert.True((await writer.WriteAsync("a"u8.ToArray())).IsCanceled);
        Assert.False((await writer.WriteAsync("b"u8.ToArray())).IsCanceled);
    });

    [Theory, ClassData(typeof(Transports))]
    public async Task CancelPendingFlush_ends_a_large_write_that_waits_and_loses_nothing(ServerTransport transport)
    {
        const int Size = 30_000_000;
        SyncPoint returned = "the return of the write";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var writer = (ResponsePipeWriter)context.Response.BodyWriter;
            var writing = writer.WriteAsync(new byte[Size]).AsTask();
            await Eventually.HoldsAsync(() => writer.Waits.IsWaiting, () => "The write does not wait.");
            writer.CancelPendingFlush();
            Assert.True((await writing).IsCanceled);
            returned.Reach();
        });

        await peer.SendRequestAsync();
        await returned.WaitAsync();

        Assert.Equal(Size, (await peer.ExpectResponseAsync()).Body.Length);
    }

    /// <summary>As a small one: what was cancelled in advance is the next wait, whatever it waits for.</summary>
    [Fact]
    public async Task CancelPendingFlush_in_advance_ends_a_large_write()
    {
        const int Size = 30_000_000;
        SyncPoint returned = "the return of the write";
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            writer.CancelPendingFlush();
            Assert.True((await writer.WriteAsync(new byte[Size])).IsCanceled);
            returned.Reach();
            Assert.False((await writer.FlushAsync()).IsCanceled);
        });

        await peer.SendRequestAsync();
        await returned.WaitAsync();

        Assert.Equal(Size, (await peer.ExpectResponseAsync()).Body.Length);
    }

    [Fact]
    public async Task CancelPendingFlush_in_advance_ends_a_write_that_an_upload_holds()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Request.Body.ReadExactlyAsync(new byte[1]);
            var writer = context.Response.BodyWriter;
            writer.CancelPendingFlush();
            Assert.True((await writer.WriteAsync(new byte[50_000])).IsCanceled);
            Entered.Reach();
            await context.Request.Body.ReadExactlyAsync(new byte[3]);
        });

        await EnterAsync(peer, BeginPost(4).Stdin(1, "a"u8));
        await peer.SendAsync(EndBody("bcd"u8));

        Assert.Equal(50_000, (await peer.ExpectResponseAsync()).Body.Length);
    }

    [Fact]
    public async Task Json_is_written_and_read()
    {
        var response = await RespondAsync(
            async context =>
            {
                var numbers = await context.Request.ReadFromJsonAsync<int[]>();
                await context.Response.WriteAsJsonAsync(numbers!.Select(number => number * 2).ToArray());
            },
            Post("[1, 2, 3]") with { Headers = [("Content-Type", "application/json")] });

        Assert.Equal("[2,4,6]", response.BodyText);
        Assert.Equal("application/json; charset=utf-8", response.Header("Content-Type"));
    }

    [Fact]
    public async Task A_writer_kept_beyond_the_request_is_dead()
    {
        PipeWriter? kept = null;
        await RespondAsync(Run(context =>
        {
            kept = context.Response.BodyWriter;
            context.Response.OnCompleted(Left.Reach);
        }));

        await Left.WaitAsync();
        Assert.ThrowsAny<InvalidOperationException>(() => kept!.GetMemory());
        await Assert.ThrowsAnyAsync<InvalidOperationException>(async () => await kept!.WriteAsync(new byte[1]));
    }

    [Fact]
    public async Task Memory_leased_before_an_abort_can_be_advanced_after_it()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            context.Response.BodyWriter.GetMemory(4);
            await WaitForAbortAsync(context);
            context.Response.BodyWriter.Advance(4);
            Left.Reach();
        }, Get());
        await peer.SendAsync(new RecordBuilder().Abort());

        await Left.WaitAsync();
        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
        await peer.DisposeAsync();
    }
}
