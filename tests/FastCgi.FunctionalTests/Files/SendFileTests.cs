using System.Globalization;

namespace FastCgi.FunctionalTests.Files;

public sealed class SendFileTests : FunctionalTest
{
    private static readonly byte[] s_content = RandomBytes(200_000);

    public static MatrixTheoryData<ServerTransport, string> Swallowing { get; } =
        new(Transports.All, ["with a length", "without", "goes on", "completes"]);

    private readonly string _path = Path.GetTempFileName();

    public SendFileTests() => File.WriteAllBytes(_path, s_content);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        File.Delete(_path);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Sends_the_whole_file(ServerTransport transport) =>
        Assert.Equal(s_content, (await SendAsync(transport, 0, null)).Body);

    [Theory, ClassData(typeof(Transports))]
    public async Task Sends_a_range(ServerTransport transport) =>
        Assert.Equal(s_content[1000..81_000], (await SendAsync(transport, 1000, 80_000)).Body);

    [Theory, ClassData(typeof(Transports))]
    public async Task Sends_the_rest_from_an_offset(ServerTransport transport) =>
        Assert.Equal(s_content[150_000..], (await SendAsync(transport, 150_000, null)).Body);

    [Theory, ClassData(typeof(Transports))]
    public async Task A_count_of_zero_starts_the_response_and_sends_nothing(ServerTransport transport)
    {
        var isStarted = false;
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.OnStarting(() =>
            {
                isStarted = true;
                return Task.CompletedTask;
            });
            await context.Response.SendFileAsync(_path, 0, 0);
            Assert.True(context.Response.HasStarted);
        });

        Assert.True(isStarted);
        Assert.Equal(200, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_empty_file_is_an_empty_body(ServerTransport transport)
    {
        await File.WriteAllBytesAsync(_path, []);

        var response = await SendAsync(transport, 0, null);

        Assert.Equal(200, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_missing_file_throws_before_the_start(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            await Assert.ThrowsAsync<FileNotFoundException>(() => context.Response.SendFileAsync(_path + ".missing"));
            Assert.False(context.Response.HasStarted);
            context.Response.StatusCode = 404;
        });

        Assert.Equal(404, response.StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_is_not_in_the_file_is_refused(ServerTransport transport)
    {
        await RespondAsync(transport, async context =>
        {
            foreach (var (offset, count) in ((long, long?)[])[
                (-1, null), (s_content.Length + 1, null), (0, -1), (0, s_content.Length + 1), (10, s_content.Length)])
            {
                await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
                    () => context.Response.SendFileAsync(_path, offset, count));
            }

            Assert.False(context.Response.HasStarted);
        });
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_cancelled_token_stops_it_before_the_start(ServerTransport transport)
    {
        await RespondAsync(transport, async context =>
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => context.Response.SendFileAsync(_path, 0, null, new CancellationToken(canceled: true)));
            Assert.False(context.Response.HasStarted);
        });
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Is_in_order_with_what_was_written_before_and_after(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
        {
            await context.Response.WriteAsync("<");
            await context.Response.SendFileAsync(_path, 0, 100);
            await context.Response.WriteAsync(">");
        });

        Assert.Equal([(byte)'<', .. s_content[..100], (byte)'>'], response.Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task For_HEAD_the_file_is_not_sent(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context =>
            {
                context.Response.ContentLength = s_content.Length;
                return context.Response.SendFileAsync(_path);
            },
            Head());

        Assert.Empty(response.Body);
        Assert.Equal(
            s_content.Length.ToString(CultureInfo.InvariantCulture), response.Header("Content-Length"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task More_than_the_length_that_was_set_throws(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = 10;
            await context.Response.SendFileAsync(_path);
        });
        Logs.ExpectError(13);

        await peer.SendRequestAsync();

        await peer.ExpectTornResponseAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_large_file_reaches_a_peer_that_takes_its_time_between_what_was_written_around_it(
        ServerTransport transport)
    {
        var content = RandomBytes(5_000_001);
        await File.WriteAllBytesAsync(_path, content);
        SyncPoint flushed = "the head";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Response.WriteAsync("<");
            await context.Response.Body.FlushAsync();
            flushed.Reach();
            await context.Response.SendFileAsync(_path, 1, content.Length - 1);
            await context.Response.WriteAsync(">");
        });

        await peer.SendRequestAsync();
        await flushed.WaitAsync();

        var response = await peer.ExpectResponseAsync();
        Assert.Equal([(byte)'<', .. content[1..], (byte)'>'], response.Body);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Large_files_mix_on_one_connection(ServerTransport transport)
    {
        await File.WriteAllBytesAsync(_path, RandomBytes(2_000_000));
        var content = await File.ReadAllBytesAsync(_path);
        var peer = await StartAndConnectAsync(transport, context => context.Response.SendFileAsync(_path));

        await peer.SendAsync(new RecordBuilder().Request(Get() with { Id = 1 }).Request(Get() with { Id = 2 }));

        Assert.Equal(content, (await peer.ExpectResponseAsync(1)).Body);
        Assert.Equal(content, (await peer.ExpectResponseAsync(2)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_file_that_becomes_shorter_while_it_is_sent_breaks_the_response_off(ServerTransport transport)
    {
        // Far more than the socket takes while nobody reads.
        await using (var file = File.OpenWrite(_path))
        {
            file.SetLength(64_000_000);
        }

        SyncPoint failed = "the failure of SendFileAsync";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var exception = await Assert.ThrowsAsync<EndOfStreamException>(() => context.Response.SendFileAsync(_path));
            Assert.Contains(_path, exception.Message, StringComparison.Ordinal);
            failed.Reach();
            throw exception;
        });
        Logs.ExpectError(13);
        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();

        await using (var file = new FileStream(_path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            file.SetLength(32_000_000);
        }

        await peer.ExpectTornResponseAsync();
        await failed.WaitAsync();
    }

    /// <summary>What the client has got is not the file, whatever the application thinks of the failure.</summary>
    [Theory, MemberData(nameof(Swallowing))]
    public async Task A_file_that_becomes_shorter_breaks_the_response_off_though_the_application_swallows_it(
        ServerTransport transport, string application)
    {
        const int Length = 64_000_000;
        await using (var file = File.OpenWrite(_path))
        {
            file.SetLength(Length);
        }

        SyncPoint failed = "the failure of SendFileAsync";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            context.Response.ContentLength = application == "with a length" ? Length : null;
            await Assert.ThrowsAsync<EndOfStreamException>(() => context.Response.SendFileAsync(_path));
            failed.Reach();
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
        Logs.ExpectError(13);
        await peer.SendRequestAsync();
        await peer.ExpectResponseStartAsync();

        await using (var file = new FileStream(_path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            // Only the last record lacks bytes.
            file.SetLength(Length - 10);
        }

        await peer.ExpectTornResponseAsync();
        await failed.WaitAsync();
    }

    private Task<CgiResponse> SendAsync(ServerTransport transport, long offset, long? count) =>
        RespondAsync(transport, context => context.Response.SendFileAsync(_path, offset, count));

    private static byte[] RandomBytes(int count)
    {
        var bytes = new byte[count];
        new Random(4).NextBytes(bytes);
        return bytes;
    }
}
