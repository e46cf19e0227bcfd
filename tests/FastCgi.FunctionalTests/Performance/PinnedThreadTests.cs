using System.Text;

namespace FastCgi.FunctionalTests.Performance;

/// <summary>One thread serves, and a handler holds it: the thread is replaced, so nothing waits for the handler.</summary>
public sealed class PinnedThreadTests : FunctionalTest
{
    private static readonly byte[] s_form = Encoding.ASCII.GetBytes("field=" + new string('a', 100_000));

    private readonly SyncPoint _entered = "the handler";
    private readonly SyncPoint _aborted = "RequestAborted";
    private readonly ManualResetEventSlim _goOn = new();

    [Theory, ClassData(typeof(Transports))]
    public async Task A_form_that_a_handler_reads_without_awaiting_arrives(ServerTransport transport)
    {
        var peer = await StartPinnedAsync(transport, context =>
        {
            _entered.Reach();
            return context.Response.WriteAsync($"{context.Request.Form["field"][0]!.Length}");
        });
        var length = s_form.Length;
        var script = new RequestScript
        {
            Method = "POST",
            ExtraParams =
                [("CONTENT_LENGTH", $"{length}"), ("CONTENT_TYPE", "application/x-www-form-urlencoded")],
        };
        await peer.SendAsync(new RecordBuilder().Begin(1).Params(1, script.ToParams()).EndParams(1));
        await _entered.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, s_form).EndStdin(1));

        Assert.Equal("100000", (await peer.ExpectResponseAsync()).BodyText);
        await AssertServesNothingButTheFormAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_reaches_a_handler_that_blocks(ServerTransport transport)
    {
        var peer = await StartPinnedAsync(transport, Block);
        await peer.SendRequestAsync(target: "/block");
        await _entered.WaitAsync();

        await peer.DisposeAsync();
        await _aborted.WaitAsync();
        _goOn.Set();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Others_are_served_while_a_handler_blocks(ServerTransport transport)
    {
        var blocking = await StartPinnedAsync(transport, Block);
        await blocking.SendRequestAsync(target: "/block");
        await _entered.WaitAsync();

        var other = await ConnectAsync();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal("/quick", (await other.RoundTripAsync(Get("/quick"))).BodyText);
        }

        Assert.False(_goOn.IsSet);
        _goOn.Set();
        Assert.Equal("/block", (await blocking.ExpectResponseAsync()).BodyText);
    }

    public override async ValueTask DisposeAsync()
    {
        // A test that failed leaves its handler behind.
        _goOn.Set();
        await base.DisposeAsync();
        _goOn.Dispose();
    }

    private Task<ScriptedPeer> StartPinnedAsync(ServerTransport transport, RequestDelegate application) =>
        StartAndConnectAsync(transport, application, static options => options.ThreadCount = 1);

    private async Task AssertServesNothingButTheFormAsync()
    {
        var response = await (await ConnectAsync()).RoundTripAsync(new RequestScript
        {
            Method = "POST",
            Body = "field=abc"u8.ToArray(),
            ExtraParams = [("CONTENT_TYPE", "application/x-www-form-urlencoded")],
        });
        Assert.Equal("3", response.BodyText);
    }

    private Task Block(HttpContext context)
    {
        if (context.Request.Path == "/block")
        {
            using var registration = context.RequestAborted.Register(_aborted.Reach);
            _entered.Reach();
            Assert.True(_goOn.Wait(Deadline.Default), "The test did not let the handler go on.");
        }

        return context.Response.WriteAsync(context.Request.Path.Value!);
    }
}
