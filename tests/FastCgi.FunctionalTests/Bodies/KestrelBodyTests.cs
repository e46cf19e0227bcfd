using static FastCgi.TestKit.StreamCalls;

namespace FastCgi.FunctionalTests.Bodies;

/// <summary>
/// Calls of the body's streams and pipes, by the same handler on Kestrel: usual ones, and null buffers, wrong ranges,
/// tokens that are cancelled already. Libraries that were tested on Kestrel rely on what it does.
/// </summary>
public sealed class KestrelBodyTests(KestrelBodyTests.Servers servers) : IClassFixture<KestrelBodyTests.Servers>
{
    /// <summary>Longer than the buffers of a socket.</summary>
    private const int Much = 20_000_000;

    private static readonly CancellationToken s_cancelled = new(canceled: true);

    /// <summary>On the body of a request, of a response, and on an upgraded stream.</summary>
    private static readonly Dictionary<string, Func<Stream, Task>> s_places = new()
    {
        ["CanRead, CanWrite, CanSeek"] = body => Now(() => $"{body.CanRead} {body.CanWrite} {body.CanSeek}"),
        ["Length"] = body => Now(() => body.Length),
        ["Position"] = body => Now(() => body.Position),
        ["Position = 0"] = body => Now(() => body.Position = 0),
        ["Seek"] = body => Now(() => body.Seek(0, SeekOrigin.Begin)),
        ["SetLength"] = body => Now(() => body.SetLength(0)),
    };

    /// <summary>On the body of a response.</summary>
    private static readonly Dictionary<string, Func<Stream, Task>> s_writes = new()
    {
        ["WriteAsync(3, 1, 2)"] = body => body.WriteAsync("abc"u8.ToArray(), 1, 2),
        ["WriteAsync(0, 0, 0)"] = body => body.WriteAsync([], 0, 0),
        ["Write(3, 1, 2)"] = body => Now(() => body.Write("abc"u8.ToArray(), 1, 2)),
        ["Dispose, then WriteAsync"] = body =>
        {
            body.Dispose();
            return body.WriteAsync("abc"u8.ToArray(), 0, 3);
        },
        ["BeginWrite with a callback"] = body => Later(async () =>
        {
            var called = new TaskCompletionSource<IAsyncResult>();
            body.BeginWrite("abc"u8.ToArray(), 1, 2, called.SetResult, "state");
            var result = await called.Task;
            body.EndWrite(result);
            return $"{result.AsyncState}";
        }),
        ["WriteAsync, cancelled"] = body => body.WriteAsync(new byte[1], 0, 1, s_cancelled),
        ["WriteAsync of memory, cancelled"] = body => body.WriteAsync(new byte[1], s_cancelled).AsTask(),
        ["WriteAsync of nothing, cancelled"] = body => body.WriteAsync(ReadOnlyMemory<byte>.Empty, s_cancelled).AsTask(),
        ["WriteAsync(null, 0, 0), cancelled"] = body => body.WriteAsync(null!, 0, 0, s_cancelled),
        ["WriteAsync, cancelled, behind another"] = async body =>
        {
            await body.WriteAsync("a"u8.ToArray());
            await body.WriteAsync("b"u8.ToArray(), s_cancelled);
        },
        ["Write of a span"] = body => Now(() => body.Write(new byte[1].AsSpan())),
        ["WriteByte"] = body => Now(() => body.WriteByte(1)),
        ["Flush"] = body => Now(body.Flush),
        ["FlushAsync, cancelled"] = body => body.FlushAsync(s_cancelled),
        ["FlushAsync, cancelled, behind a write"] = async body =>
        {
            await body.WriteAsync("a"u8.ToArray());
            await body.FlushAsync(s_cancelled);
        },
    };

    private static readonly Dictionary<string, Func<HttpContext, Task>> s_behindTheEnd = new()
    {
        ["WriteAsync(null, 0, 0)"] = context => context.Response.Body.WriteAsync(null!, 0, 0),
        ["WriteAsync"] = context => context.Response.Body.WriteAsync(new byte[1], 1, 0),
        ["BodyWriter.WriteAsync"] = context => context.Response.BodyWriter.WriteAsync(new byte[1]).AsTask(),
        ["FlushAsync"] = context => context.Response.Body.FlushAsync(),
        ["FlushAsync, cancelled"] = context => context.Response.Body.FlushAsync(s_cancelled),
        ["WriteAsync, cancelled"] = context => context.Response.Body.WriteAsync(new byte[1], 0, 1, s_cancelled),
    };

    private static readonly Dictionary<string, Func<HttpContext, Task>> s_behindAnAbort = new()
    {
        ["WriteAsync, cancelled"] = context => context.Response.Body.WriteAsync(new byte[1], 0, 1, s_cancelled),
        ["FlushAsync, cancelled"] = context => context.Response.Body.FlushAsync(s_cancelled),
        ["WriteAsync(null, 0, 0)"] = context => context.Response.Body.WriteAsync(null!, 0, 0),
        ["StartAsync, cancelled"] = context => context.Response.StartAsync(s_cancelled),
        ["ReadAsync, cancelled"] = context => context.Request.Body.ReadAsync(new byte[1], 0, 1, s_cancelled),
    };

    /// <summary>
    /// On a response that sends no body, and has a Content-Length. Bytes that the pipe has before the start are left out:
    /// Kestrel checks them at once, and this server at the start.
    /// </summary>
    private static readonly Dictionary<string, Func<HttpResponse, Task>> s_bodilessWrites = new()
    {
        ["StartAsync"] = response => response.StartAsync(),
        ["WriteAsync"] = response => response.Body.WriteAsync(new byte[9], 0, 9),
        ["WriteAsync, twice"] = async response =>
        {
            await response.Body.WriteAsync(new byte[2]);
            await response.Body.WriteAsync(new byte[7]);
        },
        ["WriteAsync behind the start"] = async response =>
        {
            await response.StartAsync();
            await response.Body.WriteAsync(new byte[9]);
        },
        ["WriteAsync behind a callback"] = async response =>
        {
            response.OnStarting(static () => Task.CompletedTask);
            await response.Body.WriteAsync(new byte[9]);
        },
        ["WriteAsync of text"] = response => response.WriteAsync("too much"),
        ["BodyWriter.WriteAsync"] = response => response.BodyWriter.WriteAsync(new byte[9]).AsTask(),
        ["bytes behind the start"] = async response =>
        {
            await response.StartAsync();
            response.BodyWriter.Write(new byte[9]);
        },
        ["SendFileAsync"] = response => response.SendFileAsync(typeof(object).Assembly.Location, 0, 9),
        ["SendFileAsync behind the start"] = async response =>
        {
            await response.StartAsync();
            await response.SendFileAsync(typeof(object).Assembly.Location, 0, 9);
        },
    };

    private static readonly Dictionary<string, Func<HttpContext, Stream, Task>> s_behindAnUpgrade = new()
    {
        ["Request.Body.ReadAsync"] = async (context, stream) =>
        {
            Assert.Equal(0, await context.Request.Body.ReadAsync(new byte[5]));
            await stream.ReadExactlyAsync(new byte[5]);
        },
        ["Request.BodyReader.ReadAsync"] = async (context, stream) =>
        {
            var read = await context.Request.BodyReader.ReadAsync();
            Assert.True(read is { IsCompleted: true, Buffer.IsEmpty: true });
            await stream.ReadExactlyAsync(new byte[5]);
        },
        ["Response.Body.WriteAsync"] = (context, _) => context.Response.Body.WriteAsync(new byte[1]).AsTask(),
        ["Response.Body.FlushAsync"] = (context, _) => context.Response.Body.FlushAsync(),
        ["Response.BodyWriter.WriteAsync"] =
            (context, _) => context.Response.BodyWriter.WriteAsync(new byte[1]).AsTask(),
        ["Response.BodyWriter.FlushAsync"] = (context, _) => context.Response.BodyWriter.FlushAsync().AsTask(),
        ["UpgradeAsync"] = (context, _) => context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync(),
    };

    private static readonly (string Method, int Status, long Length)[] s_bodiless =
        [("HEAD", 200, 0), ("HEAD", 200, 3), ("POST", 204, 0), ("POST", 205, 0), ("POST", 304, 0), ("POST", 304, 3)];

    private static readonly Dictionary<string, Func<HttpContext, Task>> s_calls = Calls();

    public static TheoryData<string> Names => [.. s_calls.Keys];

    [Theory, MemberData(nameof(Names))]
    public async Task A_call_does_what_it_does_on_Kestrel(string name)
    {
        Assert.Equal(await servers.AskKestrelAsync(name), await servers.AskFastCgiAsync(name));
    }

    private static Dictionary<string, Func<HttpContext, Task>> Calls()
    {
        Dictionary<string, Func<HttpContext, Task>> calls = new()
        {
            ["ReadAsync of nothing at the end"] = context => Later(async () =>
            {
                await context.Request.Body.ReadExactlyAsync(new byte[5]);
                return $"{await context.Request.Body.ReadAsync(Memory<byte>.Empty)}";
            }),
            ["ReadAsync of nothing, cancelled while it waits"] = context => CancelReadAsync(
                context, token => context.Request.Body.ReadAsync(Memory<byte>.Empty, token).AsTask()),
            ["CancelPendingFlush, then FlushAsync"] = context =>
            {
                context.Response.BodyWriter.CancelPendingFlush();
                return context.Response.Body.FlushAsync();
            },
            ["Read to the end, synchronous"] = context => Now(() =>
            {
                var (body, buffer) = (AllowSync(context).Request.Body, new byte[2]);
                return $"{body.Read(buffer, 1, 1)} {body.ReadByte()} {body.Read(buffer.AsSpan(0, 1))} "
                    + $"{Convert.ToHexString(buffer)} {body.Read(new byte[9], 0, 9)} {body.ReadByte()}";
            }),
            ["ReadByte behind one that was allowed"] = context => Now(() =>
            {
                AllowSync(context).Request.Body.ReadByte();
                return AllowSync(context, isAllowed: false).Request.Body.ReadByte();
            }),
            ["WriteByte behind one that was allowed"] = context => Now(() =>
            {
                AllowSync(context).Response.Body.WriteByte(1);
                AllowSync(context, isAllowed: false).Response.Body.WriteByte(2);
            }),
            ["BodyReader.ReadAsync, cancelled"] = context => context.Request.BodyReader.ReadAsync(s_cancelled).AsTask(),
            ["BodyReader.CopyToAsync, cancelled"] =
                context => context.Request.BodyReader.CopyToAsync(Stream.Null, s_cancelled),
            ["BodyWriter.WriteAsync, cancelled"] =
                context => context.Response.BodyWriter.WriteAsync(new byte[1], s_cancelled).AsTask(),
            ["BodyWriter.WriteAsync of nothing, cancelled"] =
                context => context.Response.BodyWriter.WriteAsync(ReadOnlyMemory<byte>.Empty, s_cancelled).AsTask(),
            ["BodyWriter.FlushAsync, cancelled"] =
                context => context.Response.BodyWriter.FlushAsync(s_cancelled).AsTask(),
            ["BodyWriter.FlushAsync, cancelled, behind bytes"] = context =>
            {
                context.Response.BodyWriter.GetSpan(1)[0] = (byte)'a';
                context.Response.BodyWriter.Advance(1);
                return context.Response.BodyWriter.FlushAsync(s_cancelled).AsTask();
            },
            ["ReadAsync, cancelled while it waits"] = context => CancelReadAsync(
                context, token => context.Request.Body.ReadAsync(new byte[1], 0, 1, token)),
            ["ReadAsync of memory, cancelled while it waits"] = context => CancelReadAsync(
                context, token => context.Request.Body.ReadAsync(new byte[1], token).AsTask()),
            ["BodyReader.ReadAsync, cancelled while it waits"] = context => CancelReadAsync(
                context, token => context.Request.BodyReader.ReadAsync(token).AsTask()),
            ["CopyToAsync, cancelled while it waits"] = context => CancelReadAsync(
                context, token => context.Request.Body.CopyToAsync(Stream.Null, token)),
            ["BodyReader.ReadAsync, CancelPendingRead while it waits"] = async context =>
            {
                await context.Request.Body.ReadExactlyAsync(new byte[5]);
                var read = context.Request.Body.ReadAsync(new byte[1], 0, 1);
                context.Request.BodyReader.CancelPendingRead();
                await read;
            },
            ["WriteAsync, cancelled while it waits"] = context => CancelAsync(
                token => context.Response.Body.WriteAsync(new byte[Much], 0, Much, token)),
            ["WriteAsync of memory, cancelled while it waits"] = context => CancelAsync(
                token => context.Response.Body.WriteAsync(new byte[Much], token).AsTask()),
            ["BodyWriter.WriteAsync, cancelled while it waits"] = context => CancelAsync(
                token => context.Response.BodyWriter.WriteAsync(new byte[Much], token).AsTask()),
            ["WriteAsync, CancelPendingFlush while it waits"] = async context =>
            {
                var write = context.Response.Body.WriteAsync(new byte[Much]);
                context.Response.BodyWriter.CancelPendingFlush();
                await write;
            },
            ["StartAsync, cancelled, behind the start"] = async context =>
            {
                await context.Response.StartAsync();
                await context.Response.StartAsync(s_cancelled);
            },
            ["WriteAsync of nothing"] = context => context.Response.Body.WriteAsync(ReadOnlyMemory<byte>.Empty).AsTask(),
            ["BodyWriter.WriteAsync of nothing"] =
                context => context.Response.BodyWriter.WriteAsync(ReadOnlyMemory<byte>.Empty).AsTask(),
            ["UpgradeAsync of an ordinary request"] = UpgradeAsync,
            ["UpgradeAsync behind the start"] = async context =>
            {
                await context.Response.StartAsync();
                await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
            },
            ["UpgradeAsync, and once more in its OnStarting"] = context =>
            {
                var again = "";
                context.Response.OnStarting(async () => again = await TellAsync(() => UpgradeAsync(context)));
                return Later(async () => $"{await TellAsync(() => UpgradeAsync(context))}, again: {again}");
            },
            ["StartAsync, cancelled"] = context => context.Response.StartAsync(s_cancelled),
            ["SendFileAsync, cancelled"] =
                context => context.Response.SendFileAsync(typeof(object).Assembly.Location, s_cancelled),
            ["SendFileAsync of a part, cancelled"] =
                context => context.Response.SendFileAsync(typeof(object).Assembly.Location, 0, 1, s_cancelled),
            ["SendFileAsync of nothing, cancelled"] =
                context => context.Response.SendFileAsync(typeof(object).Assembly.Location, 0, 0, s_cancelled),
            ["WriteAsync of text, cancelled"] = context => context.Response.WriteAsync("a", s_cancelled),
            ["Write of the request"] = context => context.Request.Body.WriteAsync(new byte[1], 0, 1),
            ["Read of the response"] = context => context.Response.Body.ReadAsync(new byte[1], 0, 1),
            ["ReadAsync of the response, memory"] = context => context.Response.Body.ReadAsync(new byte[1]).AsTask(),
            ["BeginRead of the response"] =
                context => Now(() => context.Response.Body.BeginRead(new byte[1], 0, 1, null, null)),
            ["BeginWrite of the request"] =
                context => Now(() => context.Request.Body.BeginWrite(new byte[1], 0, 1, null, null)),
        };
        Add("CompleteAsync, then ", s_behindTheEnd, static async (context, call) =>
        {
            await context.Response.CompleteAsync();
            await call(context);
        });
        Add("Abort, then ", s_behindAnAbort, static (context, call) =>
        {
            context.Abort();
            return call(context);
        });
        Add(
            "Upgraded, then ",
            s_behindAnUpgrade,
            static async (context, call) => await call(context, await UpgradeAsync(context)));
        foreach (var (method, status, length) in s_bodiless)
        {
            Add($"{method} {status}, Content-Length {length}: ", s_bodilessWrites, (context, call) =>
            {
                context.Response.StatusCode = status;
                context.Response.ContentLength = length;
                return call(context.Response);
            });
        }

        KeyValuePair<string, Func<Stream, Task>>[] writes = [.. s_writes, .. WrongWrites];
        Add("Request: ", s_places, static (context, call) => call(context.Request.Body));
        Add("Response: ", s_places, static (context, call) => call(context.Response.Body));
        Add("Upgraded: ", s_places, static (context, call) => CallUpgradedAsync(context, call));
        Add("Request: ", Reads, static (context, call) => call(context.Request.Body));
        Add("Request, synchronous: ", Reads, static (context, call) => call(AllowSync(context).Request.Body));
        Add("Response: ", writes, static (context, call) => call(context.Response.Body));
        Add("Response, synchronous: ", writes, static (context, call) => call(AllowSync(context).Response.Body));
        Add("Upgraded: ", Reads, static (context, call) => CallUpgradedAsync(context, call));
        Add("Upgraded: ", writes, static (context, call) => CallUpgradedAsync(context, call));
        return calls;

        void Add<T>(string prefix, IEnumerable<KeyValuePair<string, T>> rows, Func<HttpContext, T, Task> call)
        {
            foreach (var (name, row) in rows)
            {
                calls.Add(prefix + name, context => call(context, row));
            }
        }
    }

    private static Task<Stream> UpgradeAsync(HttpContext context)
    {
        context.Response.Headers.Upgrade = "mine";
        return context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
    }

    private static async Task<string> CallUpgradedAsync(HttpContext context, Func<Stream, Task> call)
    {
        var stream = await UpgradeAsync(context);
        return await TellAsync(() => call(stream));
    }

    private static HttpContext AllowSync(HttpContext context, bool isAllowed = true)
    {
        context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = isAllowed;
        return context;
    }

    /// <summary>Behind the five bytes of the body that have come.</summary>
    private static async Task CancelReadAsync(HttpContext context, Func<CancellationToken, Task> read)
    {
        await context.Request.Body.ReadExactlyAsync(new byte[5], CancellationToken.None);
        await CancelAsync(read);
    }

    /// <summary>Cancels what <paramref name="begin"/> left waiting.</summary>
    private static async Task CancelAsync(Func<CancellationToken, Task> begin)
    {
        using var source = new CancellationTokenSource();
        var waiting = begin(source.Token);
        Assert.False(waiting.IsCompleted);
        await source.CancelAsync();
        await waiting;
    }

    /// <summary>One of each, with the same handler. What a call did is told apart from what the client got.</summary>
    public sealed class Servers : IAsyncLifetime
    {
        private BothServers? _servers;
        private TaskCompletionSource<string> _told = new();

        public async ValueTask InitializeAsync() => _servers = await BothServers.StartAsync(
            HandleAsync, options => options.ConfigureEndpointDefaults(endpoint => endpoint.AllowUpgrade = true));

        public ValueTask DisposeAsync() => _servers!.DisposeAsync();

        public async Task<string> AskKestrelAsync(string name)
        {
            _told = new(TaskCreationOptions.RunContinuationsAsynchronously);
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, _servers!.Kestrel.Port);
            var target = "/" + Uri.EscapeDataString(name);
            await socket.SendAsync(Encoding.ASCII.GetBytes(
                IsUpgrade(name)
                    ? $"GET {target} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: mine\r\n\r\nhello"
                    : $"{MethodFor(name)} {target} HTTP/1.0\r\nContent-Length: {LengthFor(name)}\r\n\r\nhello"));
            if (Waits(name))
            {
                // The answer of a body that never comes is its own story.
                return await _told.Task.Within("the handler");
            }

            var answer = new MemoryStream();
            try
            {
                await new NetworkStream(socket).CopyToAsync(answer).Within("the answer");
            }
            catch (IOException)
            {
                // Reset.
            }

            var text = Encoding.Latin1.GetString(answer.ToArray());
            var body = text[(text.IndexOf("\r\n\r\n", StringComparison.Ordinal) is >= 0 and var end ? end + 4 : 0)..];
            return $"{await _told.Task.Within("the handler")}, {(text is "" ? "no head" : text[9..12])}, {body}";
        }

        public async Task<string> AskFastCgiAsync(string name)
        {
            _told = new(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var peer = await _servers!.FastCgi.ConnectAsync();
            var script = new RequestScript
            {
                Method = MethodFor(name),
                Target = "/" + Uri.EscapeDataString(name),
                ExtraParams = IsUpgrade(name)
                    ? [("CONTENT_LENGTH", "0"), ("HTTP_CONNECTION", "Upgrade"), ("HTTP_UPGRADE", "mine")]
                    : [("CONTENT_LENGTH", LengthFor(name))],
            };
            await peer.SendAsync(
                new RecordBuilder().Begin(keepConnection: false).Params(1, script.ToParams()).EndParams());
            var records = new List<WireRecord>();
            try
            {
                if (IsUpgrade(name))
                {
                    records.AddRange((await peer.ExpectResponseStartAsync()).Records);
                }

                await peer.SendAsync(new RecordBuilder().Stdin(1, "hello"u8));
                if (Waits(name))
                {
                    return await _told.Task.Within("the handler");
                }

                if (!IsUpgrade(name))
                {
                    await peer.SendAsync(new RecordBuilder().EndStdin());
                }
            }
            catch (SocketException)
            {
                // Torn before everything was sent.
            }

            records.AddRange(await peer.ExpectClosedAsync());
            var response = CgiResponse.From(records);
            return $"{await _told.Task.Within("the handler")}, "
                + $"{(response.StatusCode == 0 ? "no head" : response.StatusCode)}, {response.BodyText}";
        }

        private static bool IsUpgrade(string name) => name.StartsWith("Upgraded", StringComparison.Ordinal);

        /// <summary>The client does nothing more until the handler has told.</summary>
        private static bool Waits(string name) => name.Contains("while it waits", StringComparison.Ordinal);

        private static string MethodFor(string name) =>
            IsUpgrade(name) ? "GET" : name.StartsWith("HEAD", StringComparison.Ordinal) ? "HEAD" : "POST";

        private static string LengthFor(string name) => Waits(name) ? "10" : "5";

        private async Task HandleAsync(HttpContext context)
        {
            var name = context.Request.Path.Value![1..];
            var told = await TellAsync(() => s_calls[name](context));

            // Whether a response that reaches nobody has started is another matter.
            var hasStarted = context.Response.HasStarted && !name.StartsWith("Abort", StringComparison.Ordinal);
            _told.TrySetResult($"{told}{(hasStarted ? ", started" : "")}");
        }
    }
}
