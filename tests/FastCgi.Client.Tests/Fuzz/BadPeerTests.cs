using System.Diagnostics;

namespace FastCgi.Client.Tests.Fuzz;

/// <summary>
/// An application goes wrong at every byte of an answer: it closes, stalls, lies or floods. The request ends with
/// content or with an exception of the client, and the same handler answers the next request rightly.
/// </summary>
public sealed class BadPeerTests
{
    private const string Answer =
        "Status: 201 Made\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nHello, records";

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(100);

    private static readonly byte[] s_records = new RecordBuilder()
        .Stdout(Answer[..20])
        .Stderr("a warning")
        .Record(10, 0, RecordBuilder.Pair("FCGI_MPXS_CONNS", "1"))
        .Record(6, 1, Encoding.ASCII.GetBytes(Answer[20..]), 7)
        .Record(6, 1, [])
        .Record(3, 1, new byte[8], 3)
        .ToArray();

    private static readonly Func<int, byte[]>[] s_floods =
    [
        static _ => [0],
        static _ => "x"u8.ToArray(),
        static _ => "X-Flood: x\n"u8.ToArray(),
        static id => new RecordBuilder().Stdout(new string('x', 8192), id).ToArray(),
        static id => new RecordBuilder().Stdout("Status: 103\n\n", id).ToArray(),
        static id => new RecordBuilder().Stderr(new string('x', 8192), id).ToArray(),
        static _ => new RecordBuilder().Record(11, 0, new byte[8], 255).ToArray(),
        static id => new RecordBuilder().End(id).ToArray(),
    ];

    public enum Fault
    {
        Closes,
        Stalls,
        Lies,
        Floods,
    }

    public enum Wire
    {
        FastCgi,
        Shared,
        Scgi,
    }

    public static MatrixTheoryData<Wire, Fault> Cases => new(Enum.GetValues<Wire>(), Enum.GetValues<Fault>());

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_good_request_after_a_bad_one_is_answered_rightly(Wire wire, Fault fault)
    {
        var clock = new ManualTimeProvider();
        var peer = new Peer(wire);
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = "app",
            ConnectCallback = peer.ConnectAsync,
            Protocol = wire == Wire.Scgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi,
            MultiplexRequests = wire == Wire.Shared,
            TimeProvider = clock,
            MaxConnections = 4,
            ConnectTimeout = Timeout.InfiniteTimeSpan,
            ResponseHeadersTimeout = s_limit,
            PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan,
        }));
        int failed = 0;
        int count = 0;
        foreach (Play play in Plays(wire == Wire.Scgi ? Encoding.ASCII.GetBytes(Answer) : s_records, fault))
        {
            peer.Prepare(play);
            failed += await AskAsync(invoker, "/bad", clock, () => peer.IsPlaying) is null ? 1 : 0;

            // A place may be held until END_REQUEST is too late.
            clock.Advance(s_limit);
            string target = $"/{++count}";
            string? good = null;
            if (wire == Wire.Shared)
            {
                // The application may still owe the rest of a record, and takes the next answer with it.
                for (int attempt = 0; attempt < 9 && good is null; attempt++)
                {
                    var elapsed = Stopwatch.StartNew();
                    good = await AskAsync(invoker, target, clock, () => elapsed.ElapsedMilliseconds > 30)
                        .Within($"answer {count} to {play}");
                }
            }
            else
            {
                good = await AskAsync(invoker, target, clock, static () => false).Within($"answer {count} to {play}");
            }

            Assert.Equal(target, good);
        }

        Assert.InRange(failed, count / 4, count);
    }

    private static IEnumerable<Play> Plays(byte[] answer, Fault fault)
    {
        for (int at = 0; at < answer.Length; at++)
        {
            switch (fault)
            {
                case Fault.Lies:
                    byte right = answer[at];
                    foreach (byte lie in (byte[])[0, 1, 0xFF, (byte)'\n', (byte)(right ^ 1), (byte)(right + 1)])
                    {
                        yield return new Play([.. answer[..at], lie, .. answer[(at + 1)..]], null, false);
                    }

                    break;
                case Fault.Floods:
                    foreach (Func<int, byte[]> flood in s_floods)
                    {
                        yield return new Play(answer[..at], flood, false);
                    }

                    break;
                default:
                    yield return new Play(answer[..at], null, fault == Fault.Closes);
                    break;
            }
        }
    }

    private static byte[] Repeat(byte[] bytes) => [.. Enumerable.Repeat(bytes, (8191 / bytes.Length) + 1).SelectMany(static part => part)];

    /// <summary>
    /// The content; null: an exception of the client. Time passes while <paramref name="mayPass"/> says so.
    /// </summary>
    private static async Task<string?> AskAsync(
        HttpMessageInvoker invoker, string target, ManualTimeProvider clock, Func<bool> mayPass)
    {
        Task<string?> asking = AskAsync(invoker, target);
        for (int turn = 0; !asking.IsCompleted; turn += mayPass() ? 1 : 0)
        {
            if (turn > 50)
            {
                clock.Advance(s_limit);
            }

            await Task.Yield();
        }

        return await asking;
    }

    private static async Task<string?> AskAsync(HttpMessageInvoker invoker, string target)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://localhost{target}");
        try
        {
            using var response = await invoker.SendAsync(request, CancellationToken.None);
            return await response.Content.ReadAsStringAsync();
        }
        catch (Exception exception) when (FastCgiException.Find(exception) is not null)
        {
            return null;
        }
    }

    /// <summary>The answer to one request.</summary>
    /// <param name="Bytes">What is sent of it, for id 1.</param>
    /// <param name="Flood">What then follows, again and again.</param>
    /// <param name="Closes">The connection ends behind it.</param>
    private sealed record Play(byte[] Bytes, Func<int, byte[]>? Flood, bool Closes);

    /// <summary>Answers with the target, but the next request as the play wants it.</summary>
    private sealed class Peer(Wire wire)
    {
        private TaskCompletionSource _playing = new();
        private Play? _next;

        /// <summary>The play has begun.</summary>
        public bool IsPlaying => _playing.Task.IsCompleted;

        public void Prepare(Play play)
        {
            _playing = new TaskCompletionSource();
            _next = play;
        }

        public ValueTask<Stream> ConnectAsync(FastCgiConnectContext context, CancellationToken cancellationToken)
        {
            (DuplexStream client, DuplexStream application) = DuplexStream.Pair();
            _ = ServeAsync(new ApplicationConnection(application));
            return new(client);
        }

        private async Task ServeAsync(ApplicationConnection connection)
        {
            try
            {
                if (wire == Wire.Shared)
                {
                    await connection.AllowMultiplexingAsync();
                }

                do
                {
                    (int id, string target) = await ReceiveAsync(connection);
                    if (target == "/bad")
                    {
                        _playing.TrySetResult();
                        await PlayAsync(connection, _next!, id);
                    }
                    else
                    {
                        string answer = $"A: b\n\n{target}";
                        await connection.SendAsync(wire == Wire.Scgi
                            ? Encoding.ASCII.GetBytes(answer)
                            : Response.Of(answer, id).ToArray());
                        EndIfScgi(connection);
                    }
                }
                while (wire != Wire.Scgi);
            }
            catch (Exception)
            {
                // The client has closed the connection.
                connection.Close();
            }
        }

        private async Task<(int Id, string Target)> ReceiveAsync(ApplicationConnection connection)
        {
            if (wire != Wire.Scgi)
            {
                ReceivedRequest request = await connection.ExpectRequestAsync();
                return (request.Id, request["REQUEST_URI"]);
            }

            int length = 0;
            for (byte next; (next = (await connection.ExpectBytesAsync(1))[0]) != ':';)
            {
                length = (length * 10) + next - '0';
            }

            string[] pairs = Encoding.ASCII.GetString(await connection.ExpectBytesAsync(length + 1)).Split('\0');
            return (1, pairs[Array.IndexOf(pairs, "REQUEST_URI") + 1]);
        }

        private async Task PlayAsync(ApplicationConnection connection, Play play, int id)
        {
            await connection.SendAsync(WithId(play.Bytes, id));
            byte[]? flood = play.Flood is { } make ? Repeat(make(id)) : null;
            for (int i = 0; flood is not null && i < 12; i++)
            {
                await connection.SendAsync(flood);
            }

            if (play.Closes)
            {
                connection.Close();
            }
            else if (play.Flood is not null || play.Bytes.Length == Answer.Length)
            {
                EndIfScgi(connection);
            }
        }

        private void EndIfScgi(ApplicationConnection connection)
        {
            if (wire == Wire.Scgi)
            {
                connection.Stream.EndSending();
            }
        }

        /// <summary>Headers of records for id 1 get the one of the request, if they are right.</summary>
        private byte[] WithId(byte[] bytes, int id)
        {
            bytes = [.. bytes];
            for (int at = 0; wire != Wire.Scgi && at + 4 <= bytes.Length;)
            {
                if (bytes.AsSpan(at + 2, 2).SequenceEqual((byte[])[0, 1]))
                {
                    (bytes[at + 2], bytes[at + 3]) = ((byte)(id >> 8), (byte)id);
                }

                at += 8 + (s_records[at + 4] << 8) + s_records[at + 5] + s_records[at + 6];
            }

            return bytes;
        }
    }
}
