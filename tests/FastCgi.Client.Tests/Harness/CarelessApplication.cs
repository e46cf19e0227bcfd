namespace FastCgi.Client.Tests.Harness;

/// <summary>
/// An application whose every answer says its request's target, in pieces and after some turns. It ends an aborted
/// request at once, and its handler runs on and answers too, as with Go's net/http/fcgi.
/// </summary>
/// <param name="isNaive">It takes no record while it writes an answer, and says that it multiplexes all the same.</param>
internal sealed class CarelessApplication(bool isNaive = false)
{
    private int _seed;

    public HttpClient CreateClient(Action<FastCgiHandlerOptions>? configure = null)
    {
        var options = new FastCgiHandlerOptions { Endpoint = "app", ConnectCallback = ConnectAsync };
        configure?.Invoke(options);
        return new HttpClient(new FastCgiHandler(options)) { Timeout = Deadline.Default };
    }

    public ValueTask<Stream> ConnectAsync(FastCgiConnectContext context, CancellationToken cancellationToken)
    {
        (DuplexStream client, DuplexStream application) = DuplexStream.Pair();
        _ = new Connection(application, Interlocked.Increment(ref _seed), isNaive).ServeAsync();
        return new(client);
    }

    /// <summary>The body of an answer to a target; one in a hundred is longer than what the connection holds.</summary>
    public static string BodyOf(string target) => new StringBuilder()
        .Insert(0, target, target.EndsWith("00", StringComparison.Ordinal) ? 50_000 : 1 + (target.Length * 3)).ToString();

    private sealed class Connection(DuplexStream stream, int seed, bool isNaive)
    {
        private readonly Dictionary<ushort, List<byte>> _params = [];
        private readonly SemaphoreSlim _sending = new(1, 1);
        private readonly Random _random = new(seed);
        private RecordReader _records;

        public async Task ServeAsync()
        {
            byte[] buffer = new byte[16 * 1024];
            try
            {
                int count;
                while ((count = await stream.ReadAsync(buffer)) > 0)
                {
                    foreach (Func<Task> answer in Take(buffer.AsSpan(0, count)))
                    {
                        await answer();
                    }
                }
            }
            catch (Exception exception) when (IsClosed(exception))
            {
                // The client closes connections at any time.
            }

            await stream.DisposeAsync();
        }

        private List<Func<Task>> Take(ReadOnlySpan<byte> received)
        {
            List<Func<Task>> answers = [];
            while (_records.TryRead(ref received, out RecordPart part))
            {
                ushort id = part.Header.RequestId;
                switch (part.Header.Type)
                {
                    case RecordType.GetValues:
                        byte[] values = new RecordBuilder().Record(10, 0, RecordBuilder.Pair("FCGI_MPXS_CONNS", "1")).ToArray();
                        answers.Add(() => SendAsync(values));
                        break;
                    case RecordType.BeginRequest when part.IsLast:
                        _params[id] = [];
                        break;
                    case RecordType.Params when part.IsEndOfStream:
                        string target = TargetOf([.. _params[id]]);
                        int turns = _random.Next(40);
                        if (isNaive)
                        {
                            answers.Add(() => AnswerAsync(id, target, turns));
                        }
                        else
                        {
                            _ = Task.Run(() => AnswerAsync(id, target, turns));
                        }

                        break;
                    case RecordType.Params:
                        _params[id].AddRange(part.Content);
                        break;
                    case RecordType.AbortRequest:
                        answers.Add(() => SendAsync(new RecordBuilder().End(id).ToArray()));
                        break;
                    default:
                        break;
                }
            }

            return answers;
        }

        private async Task AnswerAsync(ushort id, string target, int turns)
        {
            try
            {
                await YieldAsync(turns);
                string body = BodyOf(target);
                string length = turns % 2 == 0 ? $"Content-Length: {body.Length}\n" : "";
                await SendAsync(new RecordBuilder().Stdout($"{length}A: b\n\n{body[..(turns % body.Length)]}", id).ToArray());
                await YieldAsync(turns / 4);
                await SendAsync(new RecordBuilder().Stdout(body[(turns % body.Length)..], id).ToArray());
                await YieldAsync(turns % 4);
                await SendAsync(new RecordBuilder().End(id).ToArray());
            }
            catch (Exception exception) when (IsClosed(exception))
            {
                // The client has closed the connection.
            }
        }

        private async Task SendAsync(byte[] records)
        {
            await _sending.WaitAsync();
            try
            {
                await stream.WriteAsync(records);
            }
            finally
            {
                _sending.Release();
            }
        }

        private static bool IsClosed(Exception exception) => exception is IOException or InvalidOperationException;

        private static async Task YieldAsync(int turns)
        {
            for (int i = 0; i < turns; i++)
            {
                await Task.Yield();
            }
        }

        private static string TargetOf(byte[] content)
        {
            var reader = new NameValuePairReader(content);
            while (reader.TryRead(out NameValuePair pair))
            {
                if (pair.NameIn(content).SequenceEqual("REQUEST_URI"u8))
                {
                    return Encoding.ASCII.GetString(pair.ValueIn(content));
                }
            }

            throw new InvalidDataException("There is no REQUEST_URI.");
        }
    }
}
