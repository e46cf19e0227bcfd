namespace FastCgi.FunctionalTests.Connections;

/// <summary>
/// A multiplexing peer whose first request, with the id that every web server begins with, is an upload that its
/// handler does not read yet. The request behind it must not wait for that handler.
/// </summary>
public sealed class UploadFirstTests : FunctionalTest
{
    private const int Upload = 1;
    private const int Behind = 3;

    private readonly byte[] _body = new byte[8_000_000];
    private readonly SyncPoint _entered = "the handler of the upload";
    private readonly SyncPoint _goOn = "the test to let the upload be read";

    public UploadFirstTests() => new Random(1).NextBytes(_body);

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task A_peer_that_asked_about_multiplexing_is_never_kept_waiting(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ServeAsync);
        await peer.SendAsync(new RecordBuilder().GetValues("FCGI_MAX_REQS", "FCGI_MPXS_CONNS"));
        await peer.ExpectRecordAsync();

        await peer.SendRequestAsync(Post(_body, "/upload") with { Id = Upload });
        await peer.SendRequestAsync(target: "/behind", id: Behind);

        Assert.Equal("/behind", (await peer.ExpectResponseAsync(Behind)).BodyText);
        _goOn.Reach();
        Assert.Equal(_body, (await peer.ExpectResponseAsync(Upload)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task A_peer_that_did_not_ask_waits_for_a_second_or_two(ServerTransport transport)
    {
        var clock = new ManualTimeProvider();
        var peer = await StartAndConnectAsync(transport, ServeAsync, clock: clock);

        var sent = SendBothAsync(peer);
        await _entered.WaitAsync();

        // When the socket stands still, no more of the upload leaves the peer.
        var answer = peer.ExpectResponseAsync(Behind);
        Assert.True(SpinWait.SpinUntil(() => Passes(clock, answer), Deadline.Default), "The request behind is answered.");
        Assert.Equal("/behind", (await answer).BodyText);
        await sent;
        _goOn.Reach();
        Assert.Equal(_body, (await peer.ExpectResponseAsync(Upload)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task The_limit_of_bodies_holds_for_what_is_read_on(ServerTransport transport)
    {
        var clock = new ManualTimeProvider();
        var peer = await StartAndConnectAsync(
            transport, ServeAsync, options => options.Limits.MaxRequestBodySize = 4_000_000, clock);

        var sent = SendBothAsync(peer, declared: null);
        var answer = peer.ExpectResponseAsync(Behind);
        Assert.True(SpinWait.SpinUntil(() => Passes(clock, answer), Deadline.Default), "The request behind is answered.");
        await sent;
        _goOn.Reach();
        Assert.Equal(413, (await peer.ExpectResponseAsync(Upload)).StatusCode);
    }

    private async Task SendBothAsync(ScriptedPeer peer, int? declared = 8_000_000)
    {
        var script = new RequestScript
        {
            Method = "POST",
            Target = "/upload",
            ExtraParams = [("CONTENT_LENGTH", $"{declared}")],
        };
        await peer.SendAsync(new RecordBuilder().Begin(Upload).Params(Upload, script.ToParams()).EndParams(Upload)
            .Stdin(Upload, _body).EndStdin(Upload));
        await peer.SendRequestAsync(target: "/behind", id: Behind);
    }

    private static bool Passes(ManualTimeProvider clock, Task answer)
    {
        clock.Advance(TimeSpan.FromMilliseconds(100));
        return answer.IsCompleted;
    }

    private async Task ServeAsync(HttpContext context)
    {
        if (context.Request.Path == "/upload")
        {
            _entered.Reach();
            await _goOn.WaitAsync();
            await context.Request.Body.CopyToAsync(context.Response.Body);
        }
        else
        {
            await context.Response.WriteAsync(context.Request.Path.Value!);
        }
    }
}
