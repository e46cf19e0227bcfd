namespace FastCgi.FunctionalTests.Connections;

/// <summary>
/// Row B5 of the hard inputs, in company: a body that nobody reads, beside requests that go on. Memory and descriptors
/// are counted, so nothing else may run.
/// </summary>
[Collection(nameof(Alone))]
public sealed class SharedConnectionTests : FunctionalTest
{
    private const int Slow = 1;
    private const int Sibling = 3;
    private const int BodyLength = 8_000_000;

    private readonly SyncPoint _siblingGoOn = "the test to let the sibling go on";

    private int _turns;

    /// <summary>A web server that counts its ids on may send the next request at any moment.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Company_that_comes_after_an_unread_body_is_served_beside_it(ServerTransport transport)
    {
        var body = RandomBytes(BodyLength);
        var peer = await StartAndConnectAsync(
            transport, ServeAsync, options => options.Limits.MaxRequestBufferSize = 100_000);
        Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick"))).BodyText);
        const int Late = 3;

        await EnterAsync(peer, Post(body, "/slow") with { Id = Late });
        Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick") with { Id = 5 })).BodyText);
        GoOn.Reach();

        Assert.Equal(body, (await peer.ExpectResponseAsync(Late)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_comes_while_the_reader_catches_up_stays_in_order(ServerTransport transport)
    {
        var body = RandomBytes(BodyLength);
        var peer = await StartInCompanyAsync(transport);

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, body.AsSpan(0, 1_000_000)));
        await peer.SynchronizeAsync();
        GoOn.Reach();
        for (var sent = 1_000_000; sent < BodyLength; sent += 100_000)
        {
            await peer.SendAsync(new RecordBuilder().Stdin(Slow, body.AsSpan(sent, 100_000), recordSize: 8192));
        }

        await peer.SendAsync(new RecordBuilder().EndStdin(Slow));

        Assert.Equal(body, (await peer.ExpectResponseAsync(Slow)).Body);
        _siblingGoOn.Reach();
        await peer.ExpectResponseAsync(Sibling);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task Memory_stays_bounded(ServerTransport transport)
    {
        const int Pieces = 200;
        const int PieceLength = 1_000_000;
        var peer = await StartInCompanyAsync(transport, long.MaxValue, Pieces * PieceLength);
        var piece = new RecordBuilder().Stdin(Slow, new byte[PieceLength]).ToArray();
        using var memory = new LiveMemory();

        for (var i = 0; i < Pieces; i++)
        {
            await peer.SendAsync(piece);
        }

        await peer.SynchronizeAsync();
        Assert.InRange(memory.Growth, long.MinValue, 50_000_000);

        // All of it is there all the same.
        await peer.SendAsync(new RecordBuilder().EndStdin(Slow));
        GoOn.Reach();
        Assert.Equal($"{(long)Pieces * PieceLength}", (await peer.ExpectResponseAsync(Slow)).BodyText);
        _siblingGoOn.Reach();
    }

    [Fact]
    [HardInput("B5")]
    public async Task Beyond_the_size_limit_the_reader_gets_a_413()
    {
        var peer = await StartInCompanyAsync(Transports.Usual, maxBodySize: 1_000_000, declaredLength: null);

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[1_000_001]).EndStdin(Slow));
        await peer.SynchronizeAsync();
        GoOn.Reach();

        Assert.Equal(413, (await peer.ExpectResponseAsync(Slow)).StatusCode);
        _siblingGoOn.Reach();
        Assert.Equal("/sibling", (await peer.ExpectResponseAsync(Sibling)).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task What_nobody_reads_is_dropped_when_the_handler_ends(ServerTransport transport)
    {
        // However slow the machine is, the peer sends the rest before the server gives it up.
        var peer = await StartInCompanyAsync(transport, target: "/unread", clock: new ManualTimeProvider());

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[5_000_000]));
        await peer.SynchronizeAsync();
        GoOn.Reach();
        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[BodyLength - 5_000_000]).EndStdin(Slow));

        Assert.Equal("/unread", (await peer.ExpectResponseAsync(Slow)).BodyText);
        _siblingGoOn.Reach();
        await peer.ExpectResponseAsync(Sibling);
        await AssertServesAsync(peer, Slow);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_ends_it_and_leaves_the_sibling_alone(ServerTransport transport)
    {
        var peer = await StartInCompanyAsync(transport, target: "/aborted");

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[5_000_000]).Abort(Slow));

        Assert.Single((await peer.ExpectResponseAsync(Slow)).Records);
        GoOn.Reach();
        _siblingGoOn.Reach();
        Assert.Equal("/sibling", (await peer.ExpectResponseAsync(Sibling)).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_reader_that_is_alone_again_gets_all_of_it(ServerTransport transport)
    {
        var body = RandomBytes(BodyLength);
        var peer = await StartInCompanyAsync(transport);

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, body.AsSpan(0, 5_000_000)));
        await peer.SynchronizeAsync();
        _siblingGoOn.Reach();
        Assert.Equal("/sibling", (await peer.ExpectResponseAsync(Sibling)).BodyText);
        var rest = peer.SendAsync(new RecordBuilder().Stdin(Slow, body.AsSpan(5_000_000)).EndStdin(Slow));
        GoOn.Reach();
        await rest;

        Assert.Equal(body, (await peer.ExpectResponseAsync(Slow)).Body);
        await AssertServesAsync(peer, Slow);
    }

    [Fact]
    public async Task The_file_is_nobody_else_s_and_goes_with_the_request()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors are listed in /proc.");
        var peer = await StartInCompanyAsync(Transports.Usual, target: "/unread");
        Assert.Empty(SpillFiles());

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[BodyLength]).EndStdin(Slow));
        await peer.SynchronizeAsync();

        Assert.True(SpinWait.SpinUntil(() => SpillFiles() is [_], Deadline.Default), "There is one file.");
        var descriptor = Assert.Single(SpillFiles());
        Assert.EndsWith(" (deleted)", File.ResolveLinkTarget(descriptor, returnFinalTarget: false)!.Name, StringComparison.Ordinal);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, UnixModeOfTarget(descriptor));

        GoOn.Reach();
        Assert.Equal("/unread", (await peer.ExpectResponseAsync(Slow)).BodyText);
        Assert.True(SpinWait.SpinUntil(() => SpillFiles() is [], Deadline.Default), "The file goes with its request.");
        _siblingGoOn.Reach();
        await peer.ExpectResponseAsync(Sibling);
    }

    [Fact]
    public async Task A_body_that_fits_into_memory_needs_no_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors are listed in /proc.");
        var peer = await StartInCompanyAsync(Transports.Usual, declaredLength: 50_000);

        await peer.SendAsync(new RecordBuilder().Stdin(Slow, new byte[50_000]).EndStdin(Slow));
        await peer.SynchronizeAsync();
        Assert.Empty(SpillFiles());
        GoOn.Reach();

        Assert.Equal(50_000, (await peer.ExpectResponseAsync(Slow)).Body.Length);
        _siblingGoOn.Reach();
        await peer.ExpectResponseAsync(Sibling);
    }

    /// <summary>A slow upload whose handler waits, and a sibling whose handler waits, on one connection.</summary>
    private async Task<ScriptedPeer> StartInCompanyAsync(
        ServerTransport transport,
        long maxBodySize = 30_000_000,
        int? declaredLength = BodyLength,
        string target = "/slow",
        TimeProvider? clock = null)
    {
        // What an earlier test left to the thread pool goes a moment after it.
        Assert.True(
            !OperatingSystem.IsLinux() || SpinWait.SpinUntil(() => SpillFiles() is [], Deadline.Default),
            "A file of an earlier request has stayed.");
        var peer = await StartAndConnectAsync(transport, ServeAsync, options =>
        {
            options.Limits.MaxRequestBufferSize = 100_000;
            options.Limits.MaxRequestBodySize = maxBodySize == long.MaxValue ? null : maxBodySize;
        }, clock);
        await peer.SendAsync(BeginPost(declaredLength, maxBodySize == long.MaxValue ? "/count" : target, Slow));
        await peer.SendRequestAsync(target: "/sibling", id: Sibling);
        if (declaredLength is not null)
        {
            await Entered.WaitAsync();
        }

        return peer;
    }

    private async Task ServeAsync(HttpContext context)
    {
        var path = context.Request.Path.Value!;
        switch (path)
        {
            case "/slow" or "/count" or "/unread" or "/aborted" when Interlocked.Increment(ref _turns) == 1:
                Entered.Reach();
                await GoOn.WaitAsync();
                break;
            case "/sibling":
                await _siblingGoOn.WaitAsync();
                break;
        }

        switch (path)
        {
            case "/slow":
                await EchoAsync(context);
                break;
            case "/count":
                await WriteLengthAsync(context);
                break;
            case "/aborted":
                await Assert.ThrowsAnyAsync<IOException>(
                    async () => await context.Request.Body.CopyToAsync(Stream.Null));
                break;
            default:
                await context.Response.WriteAsync(path);
                break;
        }
    }

    /// <summary>The descriptors of the process that are temporary files of bodies.</summary>
    private static List<string> SpillFiles() => [.. Directory.EnumerateFileSystemEntries("/proc/self/fd")
        .Where(path => TargetOf(path).StartsWith("fastcgi-body-", StringComparison.Ordinal))];

    private static string TargetOf(string descriptor)
    {
        try
        {
            return File.ResolveLinkTarget(descriptor, returnFinalTarget: false)?.Name ?? "";
        }
        catch (IOException)
        {
            // Closed since it was listed.
            return "";
        }
    }

    /// <summary>Asked of the open file, since there is no path to it any more.</summary>
    private static UnixFileMode UnixModeOfTarget(string descriptor)
    {
        using var again = File.OpenHandle(descriptor, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        return OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(again);
    }
}
