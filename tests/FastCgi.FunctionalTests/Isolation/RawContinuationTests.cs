using System.IO.Pipelines;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// What an application registers on a read or a flush without <c>await</c>, as libraries with awaiters of their own do.
/// The server may run it on the thread that serves the sockets of all clients.
/// </summary>
public sealed class RawContinuationTests : FunctionalTest
{
    private const int Much = 20_000_000;

    private readonly SyncPoint _registered = "the registration of what comes behind";
    private readonly SyncPoint _called = "what comes behind";

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_a_read_is_the_applications(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Read(Throw));
        await peer.SendAsync(BeginPost(3));
        await _registered.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "abc"u8).EndStdin());

        await AssertOnlyLoggedAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_a_read_that_was_cancelled_is_the_applications(ServerTransport transport)
    {
        PipeReader? reader = null;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            reader = context.Request.BodyReader;
            return Read(Throw)(context);
        });
        await peer.SendAsync(BeginPost(3));
        await _registered.WaitAsync();
        reader!.CancelPendingRead();
        await _called.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "abc"u8).EndStdin());

        await AssertOnlyLoggedAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_a_flush_is_the_applications(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Flush(Throw));
        await peer.SendRequestAsync();
        await _registered.WaitAsync();

        Assert.Equal(Much, (await peer.ExpectResponseAsync()).Body.Length);
        await AssertOnlyLoggedAsync(peer, answered: true);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_exception_behind_a_flush_that_was_cancelled_is_the_applications(ServerTransport transport)
    {
        PipeWriter? writer = null;
        var peer = await StartAndConnectAsync(transport, context =>
        {
            writer = context.Response.BodyWriter;
            return Flush(Throw)(context);
        });
        await peer.SendRequestAsync();
        await _registered.WaitAsync();
        writer!.CancelPendingFlush();
        await _called.WaitAsync();

        Assert.Equal(Much, (await peer.ExpectResponseAsync()).Body.Length);
        await AssertOnlyLoggedAsync(peer, answered: true);
    }

    private void Throw() => throw new InvalidOperationException("behind");

    /// <summary>Registers <paramref name="behind"/> on a read that waits, and answers when that has been called.</summary>
    private RequestDelegate Read(Action behind) => context => HttpMethods.IsPost(context.Request.Method)
        ? RegisterAsync(context.Request.BodyReader.ReadAsync(), behind)
        : Task.CompletedTask;

    /// <summary>As <see cref="Read"/>, on a flush of more than the socket takes. Once.</summary>
    private RequestDelegate Flush(Action behind) => context =>
    {
        if (_registered.IsReached)
        {
            return Task.CompletedTask;
        }

        // Longer than the buffers of a socket.
        context.Response.BodyWriter.GetMemory(Much);
        context.Response.BodyWriter.Advance(Much);
        return RegisterAsync(context.Response.BodyWriter.FlushAsync(), behind);
    };

    private async Task RegisterAsync<T>(ValueTask<T> task, Action behind)
    {
        var awaiter = task.GetAwaiter();
        Assert.False(awaiter.IsCompleted);
        awaiter.UnsafeOnCompleted(() =>
        {
            _ = awaiter.GetResult();
            _called.Reach();
            behind();
        });
        _registered.Reach();
        await _called.WaitAsync();
    }

    private async Task AssertOnlyLoggedAsync(ScriptedPeer peer, bool answered = false)
    {
        Logs.ExpectError(LogEvents.ContinuationFailed);
        var entry = await Logs.WaitForAsync(LogEvents.ContinuationFailed);
        Assert.Contains("by the application", entry.Message, StringComparison.Ordinal);
        Assert.IsType<InvalidOperationException>(entry.Exception);
        if (!answered)
        {
            Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        }

        await AssertServesAsync(peer);
    }
}
