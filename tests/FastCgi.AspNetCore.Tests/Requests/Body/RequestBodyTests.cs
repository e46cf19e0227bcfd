namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>The connection's side of a body: length, end, pause and the temporary file.</summary>
public class RequestBodyTests
{
    [Fact]
    public void The_last_declared_byte_completes_it_and_what_follows_is_not_its()
    {
        var request = new ScriptedRequest(declared: 3);
        var reader = request.NewReader();
        request.Write("ab");
        Assert.False(request.Body.IsWhole);
        request.Write("cde");
        Assert.True(request.Body.IsWhole);
        Assert.False(request.Body.HasEnded);
        Assert.Equal(3, request.Body.Received);
        Assert.True(reader.TryRead(out var result) && result.IsCompleted);
        Assert.Equal("abc", ScriptedRequest.TextOf(result));
        reader.AdvanceTo(result.Buffer.End);
        request.Body.End();
        Assert.True(request.Body.HasEnded);
        request.End();
    }

    [Fact]
    public void A_whole_body_stays_readable_when_the_peer_leaves()
    {
        var request = new ScriptedRequest(declared: 3);
        request.Write("abc");
        request.Body.Fail(new IOException("lost"));
        Assert.True(request.NewReader().TryRead(out var result));
        Assert.Equal("abc", ScriptedRequest.TextOf(result));
        request.End(abandoned: 1);
    }

    [Fact]
    public void A_refused_body_fails_also_where_it_is_empty()
    {
        var request = new ScriptedRequest(declared: 0);
        request.Body.Refuse(new BadHttpRequestException("cut"));
        Assert.False(request.Body.IsKnownEmpty);
        Assert.Throws<BadHttpRequestException>(() => request.NewReader().TryRead(out _));
        request.End();
    }

    [Fact]
    public void The_socket_waits_for_the_reader_and_goes_on_at_half()
    {
        var request = new ScriptedRequest(bufferSize: 100);
        var reader = request.NewReader();
        request.Write(new string('x', 99));
        Assert.False(request.Body.WantsPause(mayPause: true));
        request.Write("x");
        Assert.True(request.Body.WantsPause(mayPause: true));
        Assert.True(request.Body.TryPause(mayPause: true));
        reader.TryRead(out var result);
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.GetPosition(50));
        Assert.Equal(0, request.Resumes);
        reader.TryRead(out result);
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.GetPosition(51));
        Assert.Equal(1, request.Resumes);
        Assert.False(request.Body.TryPause(mayPause: true));
        request.End();
        Assert.Equal(1, request.Resumes);
    }

    [Theory]
    [InlineData("fail")]
    [InlineData("drop")]
    [InlineData("read ahead")]
    [InlineData("too large")]
    public void A_socket_that_waits_goes_on_whatever_happens_to_the_body(string happens)
    {
        var request = new ScriptedRequest(bufferSize: 10, limit: 15);
        var reader = request.NewReader();
        request.Write(new string('x', 20));
        Assert.True(request.Body.TryPause(mayPause: true));
        Action end = happens switch
        {
            "fail" => () => request.Body.Fail(new IOException("lost")),
            "drop" => () => reader.Complete(),
            "read ahead" => () => Assert.True(request.Body.TryReadAhead(request.OnBodySettled)),
            _ => () => Assert.Throws<BadHttpRequestException>(() => reader.TryRead(out _)),
        };
        end();

        Assert.Equal(1, request.Resumes);
        request.End();
    }

    [Fact]
    public void The_observer_hears_once_of_the_end()
    {
        var request = new ScriptedRequest(declared: 3);
        Assert.True(request.Body.TryReadAhead(request.OnBodySettled));
        request.Write("ab");
        Assert.Equal(0, request.Settled);
        request.Write("c");
        request.Body.End();
        request.Body.Drop();
        Assert.Equal(1, request.Settled);
        Assert.False(request.Body.TryReadAhead(request.OnBodySettled));
        request.End();
    }

    [Fact]
    public void The_next_request_pauses_though_the_last_one_was_read_ahead()
    {
        var request = new ScriptedRequest(bufferSize: 10);
        Assert.True(request.Body.TryReadAhead());
        request.End();

        request.Begin();
        request.NewReader();
        request.Write(new string('x', 20));
        Assert.True(request.Body.WantsPause(mayPause: true));
        request.End();
    }

    [Theory, InlineData(1), InlineData(2), InlineData(3)]
    public async Task Order_is_kept_across_memory_and_file(int seed)
    {
        var random = new Random(seed);
        var sent = new byte[3_000_000];
        random.NextBytes(sent);
        var request = new ScriptedRequest(bufferSize: 100_000, declared: sent.Length) { HasReceivingThread = false };
        var reader = request.NewReader();
        var received = new MemoryStream();
        var reading = Task.Run(async () =>
        {
            while (true)
            {
                var result = await reader.ReadAsync();
                var taken = result.Buffer.Slice(0, random.NextInt64(result.Buffer.Length + 1));
                received.Write(taken.ToArray());
                var isDone = result.IsCompleted && taken.Length == result.Buffer.Length;
                reader.AdvanceTo(taken.End, result.Buffer.End);
                if (isDone)
                {
                    return;
                }
            }
        });
        var pieces = new Random(seed);
        for (var at = 0; at < sent.Length;)
        {
            var length = Math.Min(pieces.Next(1, 70_000), sent.Length - at);
            request.Write(sent.AsSpan(at, length), mayPause: false);
            at += length;
        }

        request.Body.End();
        await reading.Within("the whole body");
        Assert.Equal(sent, received.ToArray());
        await EndAsync(request);
    }

    [Fact]
    public async Task Memory_is_bounded_while_nothing_is_read()
    {
        var request = new ScriptedRequest(bufferSize: 100_000) { HasReceivingThread = false };
        var reader = request.NewReader();
        var piece = new byte[50_000];
        for (var i = 0; i < 100; i++)
        {
            request.Write(piece, mayPause: false);

            // As the connection does: it waits for the disk.
            while (request.Body.TryPause(mayPause: false))
            {
                Assert.True(SpinWait.SpinUntil(() => !request.Body.WantsPause(mayPause: false), Deadline.Default));
            }
        }

        Assert.InRange(request.Pool.Most, 1, 1_000_000);
        request.Body.End();
        var total = 0L;
        while (true)
        {
            var result = await reader.ReadAsync();
            total += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        Assert.Equal(5_000_000, total);
        await EndAsync(request);
    }

    [Fact]
    public void Nothing_of_a_spill_is_kept_after_the_end_and_the_next_body_is_its_own()
    {
        var request = new ScriptedRequest(bufferSize: 1000) { HasReceivingThread = false };
        for (var round = 0; round < 20; round++)
        {
            request.Write(new byte[200_000], mayPause: false);
            request.Write(new byte[200_000], mayPause: false);
            request.Body.EndReading();
            request.Body.Drop();
            request.Body.Reset();
            request.Begin();
        }

        request.Write("next");
        Assert.True(request.NewReader().TryRead(out var result));
        Assert.Equal("next", ScriptedRequest.TextOf(result));
        request.Body.Reset();
        Assert.True(SpinWait.SpinUntil(() => request.Pool.Outstanding == 0, Deadline.Default));
    }

    [Fact]
    public void An_upload_allocates_nothing_that_grows_with_it()
    {
        var request = new ScriptedRequest(bufferSize: 1_000_000);
        var pool = new RequestBody(request, 1_000_000, AspNetCore.Server.BufferPool.Shared);
        var piece = new byte[16_000];
        Upload(pool, piece, times: 100);
        var few = Measure(times: 10);
        var many = Measure(times: 1000);

        Assert.InRange(many - few, -10_000, 10_000);

        // The least of several, since a collection beside it is counted too.
        long Measure(int times) => Enumerable.Range(0, 5).Min(_ => Upload(pool, piece, times));
    }

    private static long Upload(RequestBody body, byte[] piece, int times)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        body.DeclaredLength = null;
        body.Open();
        var reader = new RequestBodyReader(body, owner: null);
        for (var i = 0; i < times; i++)
        {
            body.Receive(piece, mayPause: true);
            if (i % 10 == 9 && reader.TryRead(out var result))
            {
                reader.AdvanceTo(result.Buffer.End);
            }
        }

        body.Reset();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static async Task EndAsync(ScriptedRequest request)
    {
        request.Body.EndReading();
        request.Body.Reset();
        await Task.Run(() => SpinWait.SpinUntil(() => request.Pool.Outstanding == 0, Deadline.Default))
            .Within("the last step of the spill");
        Assert.Equal((0, 0), (request.Pool.Outstanding, request.Pool.Abandoned));
    }
}
