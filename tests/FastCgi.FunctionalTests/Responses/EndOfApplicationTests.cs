using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application has returned: the status is final, and the body objects are dead.</summary>
public sealed class EndOfApplicationTests : FunctionalTest
{
    private readonly List<int> _statuses = [];
    private readonly SyncPoint _disposed = "the disposal of the context";

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_is_a_500_when_the_context_is_disposed(ServerTransport transport)
    {
        await StartAsync(transport, _ => throw new InvalidOperationException("of the application"));
        Logs.ExpectError(13);

        Assert.Equal(500, (await (await ConnectAsync()).RoundTripAsync(Get())).StatusCode);
        await AssertDisposedWithAsync(500);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_is_a_499_when_the_context_is_disposed(ServerTransport transport)
    {
        await StartAsync(transport, context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });
        var peer = await ConnectAsync();

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await AssertDisposedWithAsync(499);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_an_abort_is_a_499_when_the_context_is_disposed(ServerTransport transport)
    {
        await StartAsync(transport, context =>
        {
            context.Abort();
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(13);
        var peer = await ConnectAsync();

        await peer.SendRequestAsync();

        Assert.Empty(await peer.ExpectClosedAsync());
        await AssertDisposedWithAsync(499);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_wrong_body_that_is_not_read_changes_nothing(ServerTransport transport)
    {
        await StartAsync(transport, _ => Task.CompletedTask);
        var peer = await ConnectAsync();

        await peer.SendAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin());

        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertDisposedWithAsync(200);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_wrong_body_is_a_400_when_the_context_is_disposed(ServerTransport transport)
    {
        await StartAsync(transport, context => context.Request.Body.CopyToAsync(Stream.Null));
        var peer = await ConnectAsync();

        await peer.SendAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin());

        Assert.Equal(400, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertDisposedWithAsync(400);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_wrong_body_whose_error_is_caught_changes_nothing(ServerTransport transport)
    {
        await StartAsync(transport, async context =>
        {
            await Assert.ThrowsAsync<BadHttpRequestException>(() => context.Request.Body.CopyToAsync(Stream.Null));
        });
        var peer = await ConnectAsync();

        await peer.SendAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin());

        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        await AssertDisposedWithAsync(200);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task In_OnCompleted_the_bodies_are_dead(ServerTransport transport)
    {
        SyncPoint checkedAll = "the callback";
        var peer = await StartAndConnectAsync(transport, context =>
        {
            var (request, response) = (context.Request, context.Response);
            response.OnCompleted(async () =>
            {
                await Assert.ThrowsAsync<ObjectDisposedException>(() => request.Body.ReadAsync(new byte[1]).AsTask());
                await Assert.ThrowsAsync<ObjectDisposedException>(async () => await request.BodyReader.ReadAsync());
                await Assert.ThrowsAsync<ObjectDisposedException>(() => response.WriteAsync("x"));
                await Assert.ThrowsAsync<ObjectDisposedException>(
                    async () => await response.BodyWriter.WriteAsync(new byte[1]));
                Assert.Throws<ObjectDisposedException>(() => response.BodyWriter.GetMemory());
                await response.CompleteAsync();
                checkedAll.Reach();
            });
            return Task.CompletedTask;
        });

        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
        await checkedAll.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_answer_without_a_body_does_not_wait_for_the_upload(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, _ => Task.CompletedTask);

        await peer.SendAsync(BeginPost(10));

        Assert.Equal("0", (await peer.ExpectResponseStartAsync()).Header("Content-Length"));
        Assert.Empty((await peer.ExpectRecordAsync(1)).Content);
        await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[10]).EndStdin());
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
    }

    private Task StartAsync(ServerTransport transport, RequestDelegate application) => StartAsync(
        transport,
        application,
        configure: builder => builder.Services.AddSingleton<IHttpContextFactory>(new ContextFactory(status =>
        {
            _statuses.Add(status);
            _disposed.Reach();
        })));

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
