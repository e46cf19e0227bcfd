namespace FastCgi.FunctionalTests.Files;

public sealed class SendFileTests : FunctionalTest
{
    private const int Length = 200_000;

    /// <summary>Far more than the socket takes while nobody reads.</summary>
    private const int MuchLonger = 32_000_000;

    private static readonly byte[] s_content = RandomBytes(Length, seed: 4);

    private readonly string _path;

    public SendFileTests()
    {
        _path = Path.Combine(Folder, "file");
        File.WriteAllBytes(_path, s_content);
    }

    public static MatrixTheoryData<ServerTransport, string> Swallowing { get; } =
        new(Transports.All, ["with a length", "without", "goes on", "completes"]);

    /// <summary>The offset, the count, and where the bytes end that are sent.</summary>
    public static MatrixTheoryData<ServerTransport, (int Offset, int? Count, int End)> Ranges { get; } =
        new(Transports.All, [(0, null, Length), (1000, 80_000, 81_000), (150_000, null, Length)]);

    [Theory, MemberData(nameof(Ranges))]
    public async Task Sends_the_file_or_a_range_of_it(
        ServerTransport transport, (int Offset, int? Count, int End) range) =>
        Assert.Equal(
            s_content[range.Offset..range.End],
            (await RespondAsync(
                transport, context => context.Response.SendFileAsync(_path, range.Offset, range.Count))).Body);

    /// <summary>As on Kestrel, so the response may still get a Content-Length of 0.</summary>
    [Fact]
    public Task A_count_of_zero_does_not_start_the_response() => AssertRespondsAsync((200, "0", ""), async context =>
    {
        await context.Response.SendFileAsync(_path, 0, 0);
        Assert.False(context.Response.HasStarted);
    });

    [Fact]
    public async Task An_empty_file_is_an_empty_body()
    {
        await File.WriteAllBytesAsync(_path, []);

        var response = await RespondAsync(context => context.Response.SendFileAsync(_path));

        Assert.Equal((200, ""), (response.StatusCode, response.BodyText));
    }

    [Fact]
    public Task A_missing_file_throws_before_the_start() => AssertRespondsAsync((404, "0", ""), async context =>
    {
        await Assert.ThrowsAsync<FileNotFoundException>(() => context.Response.SendFileAsync(_path + ".missing"));
        Assert.False(context.Response.HasStarted);
        context.Response.StatusCode = 404;
    });

    [Fact]
    public Task What_is_not_in_the_file_is_refused() => AssertRespondsAsync((200, "0", ""), async context =>
    {
        foreach (var (offset, count) in ((long, long?)[])[
            (-1, null), (Length + 1, null), (0, -1), (0, Length + 1), (10, Length)])
        {
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
                () => context.Response.SendFileAsync(_path, offset, count));
        }

        Assert.False(context.Response.HasStarted);
    });

    [Fact]
    public async Task Is_in_order_with_what_was_written_before_and_after()
    {
        var response = await RespondAsync(async context =>
        {
            await context.Response.WriteAsync("<");
            await context.Response.SendFileAsync(_path, 0, 100);
            await context.Response.WriteAsync(">");
        });

        Assert.Equal([(byte)'<', .. s_content[..100], (byte)'>'], response.Body);
    }

    [Fact]
    public Task For_HEAD_the_file_is_not_sent() => AssertRespondsAsync(
        (200, $"{Length}", ""),
        context =>
        {
            context.Response.ContentLength = Length;
            return context.Response.SendFileAsync(_path);
        },
        Head());

    [Fact]
    public async Task More_than_the_length_that_was_set_throws()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.ContentLength = 10;
            return context.Response.SendFileAsync(_path);
        });
        Logs.ExpectError(ApplicationError);

        // Nothing has left yet: an exception handler can answer, and without one the client gets a 500.
        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_large_file_reaches_a_peer_that_takes_its_time_between_what_was_written_around_it(
        ServerTransport transport)
    {
        var content = RandomBytes(5_000_001, seed: 4);
        await File.WriteAllBytesAsync(_path, content);
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            await context.Response.WriteAsync("<");
            await context.Response.Body.FlushAsync();
            Entered.Reach();
            await context.Response.SendFileAsync(_path, 1, content.Length - 1);
            await context.Response.WriteAsync(">");
        }, Get());

        var response = await peer.ExpectResponseAsync();
        Assert.Equal([(byte)'<', .. content[1..], (byte)'>'], response.Body);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Large_files_mix_on_one_connection(ServerTransport transport)
    {
        var content = RandomBytes(2_000_000, seed: 4);
        await File.WriteAllBytesAsync(_path, content);
        var peer = await StartAndConnectAsync(transport, context => context.Response.SendFileAsync(_path));

        await peer.SendAsync(new RecordBuilder().Request(Get() with { Id = 1 }).Request(Get() with { Id = 2 }));

        Assert.Equal(content, (await peer.ExpectResponseAsync(1)).Body);
        Assert.Equal(content, (await peer.ExpectResponseAsync(2)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public Task A_file_that_becomes_shorter_while_it_is_sent_breaks_the_response_off(ServerTransport transport) =>
        AssertTearsWhenShorterAsync(transport, missing: 16_000_000, async context =>
        {
            var exception = await Assert.ThrowsAsync<EndOfStreamException>(() => context.Response.SendFileAsync(_path));
            Assert.Contains(_path, exception.Message, StringComparison.Ordinal);
            Left.Reach();
            throw exception;
        });

    /// <summary>
    /// Only the last record lacks bytes. What the client has got is not the file, whatever the application thinks of
    /// the failure.
    /// </summary>
    [Theory, MemberData(nameof(Swallowing))]
    public Task A_file_that_becomes_shorter_breaks_the_response_off_though_the_application_swallows_it(
        ServerTransport transport, string application) =>
        AssertTearsWhenShorterAsync(transport, missing: 10, async context =>
        {
            context.Response.ContentLength = application == "with a length" ? MuchLonger : null;
            await Assert.ThrowsAsync<EndOfStreamException>(() => context.Response.SendFileAsync(_path));
            Left.Reach();
            switch (application)
            {
                case "goes on":
                    await context.Response.WriteAsync("more");
                    break;
                case "completes":
                    await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.CompleteAsync());
                    break;
            }
        });

    private async Task AssertTearsWhenShorterAsync(ServerTransport transport, int missing, RequestDelegate application)
    {
        SetLength(MuchLonger);
        var peer = await StartAndConnectAsync(transport, application);
        Logs.ExpectError(ApplicationError);
        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();

        SetLength(MuchLonger - missing);

        await peer.ExpectTornResponseAsync();
        await Left.WaitAsync();
    }

    private void SetLength(int length)
    {
        using var file = new FileStream(_path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        file.SetLength(length);
    }
}
