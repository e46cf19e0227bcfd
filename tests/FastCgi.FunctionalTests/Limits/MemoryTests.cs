using FastCgi.AspNetCore.Requests;
using FastCgi.FunctionalTests.Isolation;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>
/// At most 4 MiB above idle and above what a limit allows, whatever a peer sends or leaves unread. The figures before,
/// during and after are printed in a line each. The process is measured, so nothing else may run.
/// </summary>
[Collection(nameof(Alone))]
public sealed class MemoryTests : FunctionalTest
{
    private const int Slow = 1;
    private const int Sibling = 3;
    private const int ChunkLength = 1_000_000;

    // Ten thousand of these are more than the buffers of a socket take.
    private static readonly string s_answer = new('.', 2000);

    private readonly SyncPoint _tooLarge = "the 413 that the reader of the body meets";

    public static MatrixTheoryData<ServerTransport, int?> ParamLimits { get; } =
        new(Transports.All, [null, 16 * 1024 * 1024]);

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R7")]
    public async Task Begins_of_65535_requests_by_a_peer_that_does_not_read(ServerTransport transport)
    {
        var begins = new RecordBuilder();
        for (var id = 1; id <= 65_535; id++)
        {
            begins.Begin(id);
        }

        // END_REQUEST, protocol status OVERLOADED: more ids than a connection may have.
        await FloodAsync(transport, "65,535 BEGINs, answers not read", begins, firstAnswer: "\x03");
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R13")]
    public async Task Ten_thousand_requests_whose_answers_are_never_read(ServerTransport transport)
    {
        var requests = new RecordBuilder();
        for (var id = 1; id <= 10_000; id++)
        {
            requests.Request(Get() with { Id = id });
        }

        // 200 or, for those beyond the limit of a connection, 503.
        await FloodAsync(
            transport, "10,000 pipelined requests, answers not read", requests, firstAnswer: "Status: ");
    }

    [Theory, MemberData(nameof(ParamLimits))]
    [HardInput("P6")]
    public Task Params_of_61_megabytes(ServerTransport transport, int? allowed) => FloodAsync(
        transport,
        $"61 MB of params, {(allowed is null ? "default limits" : "16 MiB allowed")}",
        new RecordBuilder().Begin(Slow),
        new RecordBuilder().Params(Slow, [("HTTP_X_LONG", new string('x', 60_000))]),
        times: 61_000_000 / 60_000,
        firstAnswer: "Status: 431 ",
        allowed: allowed ?? 0,
        limits: limits =>
        {
            limits.MaxRequestParametersTotalSize = allowed ?? limits.MaxRequestParametersTotalSize;
            limits.MaxRequestHeadersTotalSize = allowed ?? limits.MaxRequestHeadersTotalSize;
            limits.MaxRequestHeaderCount = allowed is null ? limits.MaxRequestHeaderCount : 10_000;
        });

    /// <summary>The length is judged when it is seen.</summary>
    [Fact]
    [HardInput("P3")]
    public async Task A_monstrous_length_of_a_param_allocates_nothing()
    {
        await StartQuietlyAsync(Transports.Usual);
        foreach (var lengths in (byte[][])[
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x01, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x01]])
        {
            await AssertAllocatesLittleAsync(
                new RecordBuilder().Begin(Slow).Stream(4, Slow, lengths).EndParams(Slow).ToArray());
        }
    }

    [Fact]
    [HardInput("S3")]
    public async Task A_monstrous_length_of_an_SCGI_head_allocates_nothing()
    {
        await StartAsync(
            ServeAsync,
            configure: builder =>
            {
                builder.Logging.SetMinimumLevel(LogLevel.Warning);
                builder.Configuration["FastCgi:EndpointDefaults:Protocol"] = "Scgi";
            });
        await AssertAllocatesLittleAsync("999999999:CONTENT_LENGTH"u8.ToArray());
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task A_gigabyte_that_nobody_reads_alone_on_its_connection(ServerTransport transport)
    {
        // Where another request might follow, the body would go to a file after a second.
        await StartQuietlyAsync(transport, limits =>
        {
            limits.MaxRequestBodySize = null;
            limits.MaxConcurrentRequestsPerConnection = 1;
        });
        using var peer = await FloodingPeer.ConnectAsync(
            Server.EndPoint,
            BeginPost(null, "/unread", Slow),
            new RecordBuilder().Stdin(Slow, new byte[ChunkLength]),
            times: 1000);
        var figures = await MemoryFigures.BeforeAsync();

        peer.Start();
        await Entered.WaitAsync();
        await peer.WaitUntilStoppedAsync();

        figures.During();
        Assert.False(peer.IsWhole, "The socket was read though nobody read the body.");
        GoOn.Reach();
        await peer.WaitUntilEndedAsync();
        figures.After($"1 GB body that nobody reads, alone, {transport}");
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, MemberData(nameof(IsolationTests.EachKind), MemberType = typeof(IsolationTests))]
    [HardInput("B5")]
    public async Task A_gigabyte_that_nobody_reads_beside_another_request(ServerTransport transport)
    {
        await StartQuietlyAsync(transport);

        // Of unknown length, or it would be refused at once; and a sibling that has begun and is not done.
        using var peer = await FloodingPeer.ConnectAsync(
            Server.EndPoint,
            BeginPost(null, "/read", Slow).Begin(Sibling),
            new RecordBuilder().Stdin(Slow, new byte[ChunkLength]),
            times: 1000);
        var figures = await MemoryFigures.BeforeAsync();

        peer.Start();
        await peer.WaitUntilEndedAsync();

        figures.During();
        Assert.True(peer.IsWhole, "The body of one request stopped the connection of two.");
        GoOn.Reach();
        await _tooLarge.WaitAsync();
        figures.After($"1 GB body that nobody reads, beside another request, {transport}");
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>An application that sends on a timer to a client that takes nothing gives up one flush after the other.</summary>
    [Fact]
    public async Task Flushes_that_are_cancelled_while_the_peer_reads_nothing()
    {
        var kept = 0L;
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = (ResponsePipeWriter)context.Response.BodyWriter;
            var writing = writer.WriteAsync(new byte[30_000_000]).AsTask();
            await Eventually.HoldsAsync(() => writer.Waits.IsWaiting, () => "The write does not wait.");
            writer.CancelPendingFlush();
            await writing;

            kept = await KeptMemory.OfEachAsync(async () =>
            {
                var flush = writer.FlushAsync();
                Assert.False(flush.IsCompleted);
                writer.CancelPendingFlush();
                Assert.True((await flush).IsCanceled);
            });
            Entered.Reach();
        });

        await peer.SendRequestAsync();
        await Entered.WaitAsync();

        KeptMemory.AssertNothing(kept, "flush that was cancelled");
        Assert.Equal(30_000_000, (await peer.ExpectResponseAsync()).Body.Length);
    }

    /// <summary>The second time, when all code is compiled and all buffers are there: the answer is 431.</summary>
    private async Task AssertAllocatesLittleAsync(byte[] request)
    {
        var allocated = 0L;
        for (var i = 0; i < 2; i++)
        {
            var peer = await ConnectAsync();
            allocated = GC.GetTotalAllocatedBytes(precise: true);
            await peer.SendAsync(request);
            var answer = new byte[1024];
            var count = await peer.Socket.ReceiveAsync(answer, TestContext.Current.CancellationToken).AsTask()
                .WaitAsync(Deadline.Default);
            allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
            Assert.Contains("Status: 431 ", Encoding.Latin1.GetString(answer, 0, count), StringComparison.Ordinal);
        }

        Assert.InRange(allocated, 0, 256 * 1024);
    }

    /// <summary>
    /// Sends it all and reads nothing but, at the end, how the server began to answer. Shows that the server goes on.
    /// </summary>
    private async Task FloodAsync(
        ServerTransport transport,
        string name,
        RecordBuilder prologue,
        RecordBuilder? repeated = null,
        int times = 1,
        string firstAnswer = "",
        long allowed = 0,
        Action<FastCgiServerLimits>? limits = null)
    {
        await StartQuietlyAsync(transport, limits);
        using var connections = Measurements.OfActiveConnections(Server);
        using var peer = await FloodingPeer.ConnectAsync(Server.EndPoint, prologue, repeated ?? new RecordBuilder(), times);
        var figures = await MemoryFigures.BeforeAsync();

        peer.Start();
        await peer.WaitUntilStoppedAsync();

        figures.During();
        await AssertServesAnotherConnectionAsync();
        Assert.Contains(firstAnswer, Encoding.Latin1.GetString(await peer.ReceiveAsync()), StringComparison.Ordinal);
        peer.Dispose();

        // The server reads on what the peer had sent before it left, and that takes memory too.
        await connections.DropsToAsync(1);
        figures.After($"{name}, {transport}", allowed);
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>The records of the log would be counted too.</summary>
    private Task StartQuietlyAsync(ServerTransport transport, Action<FastCgiServerLimits>? limits = null) => StartAsync(
        transport,
        ServeAsync,
        options => limits?.Invoke(options.Limits),
        configure: builder => builder.Logging.SetMinimumLevel(LogLevel.Warning));

    private async Task ServeAsync(HttpContext context)
    {
        if (context.Request.Path == "/unread")
        {
            Entered.Reach();
            await GoOn.WaitAsync(TimeSpan.FromMinutes(2));
        }
        else if (context.Request.Path == "/read")
        {
            await GoOn.WaitAsync(TimeSpan.FromMinutes(2));
            var exception = await Assert.ThrowsAsync<BadHttpRequestException>(
                () => context.Request.Body.CopyToAsync(Stream.Null));
            Assert.Equal(413, exception.StatusCode);
            _tooLarge.Reach();
        }

        await context.Response.WriteAsync(s_answer);
    }
}
