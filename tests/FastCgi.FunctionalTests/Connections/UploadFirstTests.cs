namespace FastCgi.FunctionalTests.Connections;

/// <summary>
/// A multiplexing peer whose first request, with the id that every web server begins with, is an upload that its
/// handler does not read yet. The request behind it must not wait for that handler.
/// </summary>
public sealed class UploadFirstTests : FunctionalTest
{
    private const int Upload = 1;
    private const int Behind = 3;

    private readonly byte[] _body = RandomBytes(8_000_000);

    [Fact]
    [HardInput("B5")]
    public async Task A_peer_that_asked_about_multiplexing_is_never_kept_waiting()
    {
        var peer = await StartAndConnectAsync(ServeAsync);
        await peer.SendAsync(new RecordBuilder().GetValues("FCGI_MAX_REQS", "FCGI_MPXS_CONNS"));
        await peer.ExpectRecordAsync();

        await peer.SendRequestAsync(Post(_body, "/upload") with { Id = Upload });
        await peer.SendRequestAsync(target: "/behind", id: Behind);

        Assert.Equal("/behind", (await peer.ExpectResponseAsync(Behind)).BodyText);
        GoOn.Reach();
        Assert.Equal(_body, (await peer.ExpectResponseAsync(Upload)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task A_peer_that_did_not_ask_waits_for_a_second_or_two(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ServeAsync, clock: Clock);

        var sent = SendBothAsync(peer);
        await Entered.WaitAsync();

        // When the socket stands still, no more of the upload leaves the peer.
        Assert.Equal("/behind", (await PassUntilAnsweredAsync(peer)).BodyText);
        await sent;
        GoOn.Reach();
        Assert.Equal(_body, (await peer.ExpectResponseAsync(Upload)).Body);
    }

    [Fact]
    [HardInput("B6")]
    public async Task The_limit_of_bodies_holds_for_what_is_read_on()
    {
        var peer = await StartAndConnectAsync(
            ServeAsync, options => options.Limits.MaxRequestBodySize = 4_000_000, Clock);

        var sent = SendBothAsync(peer, declared: null);
        await PassUntilAnsweredAsync(peer);
        await sent;
        GoOn.Reach();
        Assert.Equal(413, (await peer.ExpectResponseAsync(Upload)).StatusCode);
    }

    private async Task SendBothAsync(ScriptedPeer peer, int? declared = 8_000_000)
    {
        await peer.SendAsync(BeginPost(declared, "/upload", Upload).Stdin(Upload, _body).EndStdin(Upload));
        await peer.SendRequestAsync(target: "/behind", id: Behind);
    }

    private async Task<CgiResponse> PassUntilAnsweredAsync(ScriptedPeer peer)
    {
        var answer = peer.ExpectResponseAsync(Behind);
        Assert.True(SpinWait.SpinUntil(Passes, Deadline.Default), "The request behind is answered.");
        return await answer;

        bool Passes()
        {
            Clock.Advance(TimeSpan.FromMilliseconds(100));
            return answer.IsCompleted;
        }
    }

    private async Task ServeAsync(HttpContext context)
    {
        if (context.Request.Path == "/upload")
        {
            await WaitAsync(context);
            await EchoAsync(context);
        }
        else
        {
            await WritePathAsync(context);
        }
    }
}
