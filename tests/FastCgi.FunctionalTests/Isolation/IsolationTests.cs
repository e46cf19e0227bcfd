namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// Two users on one kept connection, in turn, ten thousand times, and many a request fails half-way: nothing of one is
/// seen by another. Every value of a request holds the token of that request, so whatever crosses is recognised.
/// </summary>
public sealed class IsolationTests : FunctionalTest
{
    private const int Requests = 10_000;
    private const int Seed = 20_260_101;

    /// <summary>Requests run inline or in the thread pool; the kind of socket makes no difference to them.</summary>
    public static TheoryData<ServerTransport> EachKind { get; } =
        [.. new[] { Transports.Usual, ServerTransport.SocketsOnTcp }.Distinct()];

    private readonly IsolationApplication _application = new();
    private readonly ArrayBufferWriter<char> _sent = new();

    [Theory, MemberData(nameof(EachKind))]
    [HardInput("R14")]
    public async Task Nothing_crosses_in_ten_thousand_requests_of_two_users(ServerTransport transport)
    {
        await StartAsync(
            transport, _application.ServeAsync, configure: builder => builder.Logging.SetMinimumLevel(LogLevel.Error));
        Logs.ExpectError(ApplicationError);
        var random = new Random(Seed);
        var peer = await Server.ConnectAsync();
        try
        {
            for (var number = 0; number < Requests; number++)
            {
                var request = IsolationRequest.Next(random, number);
                if (!await TakeTurnAsync(peer, request))
                {
                    // Torn, aborted or left by design: objects in the pool go on to the next connection.
                    await peer.DisposeAsync();
                    peer = await Server.ConnectAsync();
                }

                if (!_application.Crossed.IsEmpty)
                {
                    Assert.Fail($"Seed {Seed}, request {number}: {string.Join("; ", _application.Crossed)}");
                }
            }

            await AssertServesAsync(peer);
        }
        finally
        {
            await peer.DisposeAsync();
        }

        Assert.True(_application.Entered > Requests * 9 / 10, "Too few requests reached the application.");
        Assert.Empty(_application.Crossed);
    }

    /// <summary>One request and what comes back. False: its connection has ended.</summary>
    private async Task<bool> TakeTurnAsync(ScriptedPeer peer, IsolationRequest request)
    {
        var script = request.ToScript();
        var id = script.Id;
        var begin = new RecordBuilder().Begin(id).Params(id, script.ToParams()).EndParams(id);
        switch (request.Fate)
        {
            case Fate.PeerAborts:
                await peer.SendAsync(begin.Stdin(id, script.Body.AsSpan(0, script.Body.Length / 2)).Abort(id));
                AssertOwn(request, (await peer.ExpectResponseAsync(id)).Records);
                return true;
            case Fate.PeerLeaves:
                await peer.SendAsync(begin.Stdin(id, script.Body.AsSpan(0, script.Body.Length / 2)));
                return false;
            case Fate.BodyCut:
                await peer.SendAsync(begin.Stdin(id, script.Body.AsSpan(0, script.Body.Length / 2)).EndStdin(id));
                AssertFailed(request, await peer.ExpectResponseAsync(id), 400);
                return true;
            case Fate.ThrowsBefore:
                AssertFailed(request, await peer.RoundTripAsync(script), 500);
                return true;
            case Fate.ThrowsAfter or Fate.AbortsBefore or Fate.AbortsAfter or Fate.TooShort:
                await peer.SendRequestAsync(script);
                var records = await peer.ExpectClosedAsync();
                AssertOwn(request, records);
                Assert.True(request.Fate == Fate.AbortsBefore || records[^1].IsTear, "The response is not torn.");
                return false;
            default:
                AssertWhole(request, await peer.RoundTripAsync(script));
                return true;
        }
    }

    private void AssertWhole(IsolationRequest request, CgiResponse response)
    {
        AssertOwn(request, response.Records);
        Assert.Equal(request.Status, response.StatusCode);
        Assert.True(response.Body.AsSpan().SequenceEqual(request.Bytes(request.ResponseLength)), $"{request}: the body.");
        Assert.Equal(request.Token, response.Header($"X-Own-{request.Number}"));
        Assert.Equal(request.Token, response.Header("X-Starting"));
        Assert.Single(response.Headers, header => header.Name.StartsWith("X-Own-", StringComparison.Ordinal));
        Assert.Single(response.Headers, header => header.Name == "Set-Cookie");
    }

    private void AssertFailed(IsolationRequest request, CgiResponse response, int status)
    {
        Assert.Equal((status, 0), (response.StatusCode, response.Body.Length));
        Assert.DoesNotContain(response.Headers, header => header.Name.StartsWith("X-", StringComparison.Ordinal));
        AssertOwn(request, response.Records);
    }

    private void AssertOwn(IsolationRequest request, IEnumerable<WireRecord> records)
    {
        _sent.ResetWrittenCount();
        foreach (var record in records)
        {
            Encoding.Latin1.GetChars(record.Content, _sent);
        }

        if (!request.IsOwn(_sent.WrittenSpan))
        {
            Assert.Fail($"{request} got something of another request: {_sent.WrittenSpan}");
        }
    }
}
