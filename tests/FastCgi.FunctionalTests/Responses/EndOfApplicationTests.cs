using FastCgi.AspNetCore.Requests;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application has returned: the status is final, and the body objects are dead.</summary>
public sealed class EndOfApplicationTests : FunctionalTest
{
    private readonly List<int> _statuses = [];
    private readonly SyncPoint _disposed = "the disposal of the context";

    [Fact]
    public async Task An_exception_is_a_500_when_the_context_is_disposed()
    {
        var peer = await StartAndConnectAsync(_ => throw new InvalidOperationException("of the application"));
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
        await AssertDisposedWithAsync(500);
    }

    [Fact]
    public async Task An_abort_is_a_499_when_the_context_is_disposed()
    {
        var peer = await StartAndConnectAsync(Run(context => context.Abort()));

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await AssertDisposedWithAsync(499);
    }

    [Fact]
    public async Task An_exception_behind_an_abort_is_a_499_when_the_context_is_disposed()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Abort();
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await AssertDisposedWithAsync(499);
    }

    [Fact]
    public Task A_wrong_body_that_is_not_read_changes_nothing() =>
        AssertStatusOfWrongBodyAsync(200, _ => Task.CompletedTask);

    [Fact]
    public Task A_wrong_body_is_a_400_when_the_context_is_disposed() =>
        AssertStatusOfWrongBodyAsync(400, context => context.Request.Body.CopyToAsync(Stream.Null));

    [Fact]
    public Task A_wrong_body_whose_error_is_caught_changes_nothing() => AssertStatusOfWrongBodyAsync(200, context =>
        Assert.ThrowsAsync<BadHttpRequestException>(() => context.Request.Body.CopyToAsync(Stream.Null)));

    /// <summary>A task of several writes may go on beside an application that gave up waiting for it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_large_write_that_is_not_awaited_arrives_whole(bool completes)
    {
        var content = RandomBytes(20_000_000);
        var peer = await StartAndConnectAsync(context =>
        {
            _ = context.Response.Body.WriteAsync(content).AsTask();
            Left.Reach();
            return completes ? context.Response.CompleteAsync() : Task.CompletedTask;
        });

        await peer.SendRequestAsync();
        await Left.WaitAsync();

        Assert.Equal(content, (await peer.ExpectResponseAsync()).Body);
        Assert.Equal(content, (await peer.RoundTripAsync(Get())).Body);
    }

    /// <summary>As with Kestrel, which copies all of a write at once: the order is that of the calls.</summary>
    [Theory]
    [InlineData("stream")]
    [InlineData("pipe")]
    [InlineData("file")]
    public async Task Writes_behind_a_large_one_that_is_not_awaited_come_behind_it(string way)
    {
        var content = RandomBytes(20_000_000);
        var end = RandomBytes(200_000);
        var file = Path.Combine(Folder, "end");
        await File.WriteAllBytesAsync(file, end);
        var isFirstIn = false;
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = (ResponsePipeWriter)context.Response.BodyWriter;
            var first = context.Response.Body.WriteAsync(content).AsTask();
            await Eventually.HoldsAsync(() => writer.Waits.IsWaiting, () => "The write does not wait.");
            var second = way switch
            {
                "stream" => context.Response.Body.WriteAsync(end).AsTask(),
                "file" => context.Response.SendFileAsync(file),
                _ => WriteAsync(writer, end),
            };
            Left.Reach();
            await second;

            // Who awaits each write has no more than one of them in memory.
            isFirstIn = !writer.Waits.HasUnfinishedWrites;
            await first;
        });

        await peer.SendRequestAsync();
        await Left.WaitAsync();

        byte[] expected = [.. content, .. end];
        Assert.Equal(expected, (await peer.ExpectResponseAsync()).Body);
        Assert.True(isFirstIn);
        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Fact]
    public async Task A_large_write_behind_a_callback_that_waits_arrives_whole_though_it_is_not_awaited()
    {
        var content = RandomBytes(20_000_000);
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.OnStarting(() => GoOn.WaitAsync());
            _ = context.Response.Body.WriteAsync(content).AsTask();
            Left.Reach();
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync();
        await Left.WaitAsync();
        GoOn.Reach();

        Assert.Equal(content, (await peer.ExpectResponseAsync()).Body);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_behind_an_upload_that_is_not_awaited_arrives_whole(bool completes)
    {
        var content = RandomBytes(50_000);
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Request.Body.ReadExactlyAsync(new byte[1]);
            _ = context.Response.Body.WriteAsync(content).AsTask();
            if (completes)
            {
                await context.Response.CompleteAsync();
            }
        });

        await peer.SendAsync(BeginPost(4).Stdin(1, "a"u8));

        Assert.Equal(content, (await peer.ExpectResponseAsync()).Body);
    }

    [Fact]
    public async Task In_OnCompleted_the_bodies_are_dead()
    {
        SyncPoint checkedAll = "the callback";
        var peer = await StartAndConnectAsync(Run(context =>
        {
            var (request, response) = (context.Request, context.Response);
            response.OnCompleted(async () =>
            {
                Assert.False(request.Body.CanRead || response.Body.CanWrite);
                Assert.Throws<ObjectDisposedException>(() => request.Body.Read(new byte[1], 0, 1));
                Assert.Throws<ObjectDisposedException>(() => response.Body.Write(new byte[1], 0, 1));
                Assert.Throws<ObjectDisposedException>(response.Body.Flush);
                await Assert.ThrowsAsync<ObjectDisposedException>(() => request.Body.CopyToAsync(Stream.Null));
                await Assert.ThrowsAsync<ObjectDisposedException>(() => response.Body.WriteAsync(new byte[1], 0, 1));
                await Assert.ThrowsAsync<ObjectDisposedException>(() => response.Body.FlushAsync());
                await Assert.ThrowsAsync<ObjectDisposedException>(() => request.Body.ReadAsync(new byte[1]).AsTask());
                await Assert.ThrowsAsync<ObjectDisposedException>(async () => await request.BodyReader.ReadAsync());
                await Assert.ThrowsAsync<ObjectDisposedException>(() => response.WriteAsync("x"));
                await Assert.ThrowsAsync<ObjectDisposedException>(
                    async () => await response.BodyWriter.WriteAsync(new byte[1]));
                Assert.Throws<ObjectDisposedException>(() => response.BodyWriter.GetMemory());
                await response.CompleteAsync();
                checkedAll.Reach();
            });
        }));

        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
        await checkedAll.WaitAsync();
    }

    [Fact]
    public async Task An_answer_without_a_body_does_not_wait_for_the_upload()
    {
        var peer = await StartAndConnectAsync(_ => Task.CompletedTask);

        await peer.SendAsync(BeginPost(10));

        Assert.Equal("0", (await peer.ExpectResponseStartAsync()).Header("Content-Length"));
        Assert.Empty((await peer.ExpectRecordAsync(1)).Content);
        await peer.SendAsync(EndBody(new byte[10]));
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
    }

    private async Task<ScriptedPeer> StartAndConnectAsync(RequestDelegate application)
    {
        await StartAsync(application, configure: builder =>
            builder.Services.AddSingleton<IHttpContextFactory>(new ContextFactory(status =>
            {
                _statuses.Add(status);
                _disposed.Reach();
            })));
        return await ConnectAsync();
    }

    private static async Task WriteAsync(PipeWriter writer, byte[] content)
    {
        writer.Write(content);
        await writer.FlushAsync();
    }

    private async Task AssertStatusOfWrongBodyAsync(int status, RequestDelegate application)
    {
        var peer = await StartAndConnectAsync(application);

        await peer.SendAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin());

        Assert.Equal(status, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertDisposedWithAsync(status);
    }

    private async Task AssertDisposedWithAsync(int status)
    {
        await _disposed.WaitAsync();
        Assert.Equal([status], _statuses);
    }

    private sealed class ContextFactory(Action<int> onDisposed) : IHttpContextFactory
    {
        public HttpContext Create(IFeatureCollection featureCollection) => new DefaultHttpContext(featureCollection);

        public void Dispose(HttpContext httpContext) => onDisposed(httpContext.Response.StatusCode);
    }
}
