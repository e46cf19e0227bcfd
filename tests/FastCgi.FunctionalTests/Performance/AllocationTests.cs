using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace FastCgi.FunctionalTests.Performance;

/// <summary>
/// What the server itself allocates for a small kept request: the objects that the application may keep, which belong to
/// one request alone, and nothing else.
/// </summary>
[Collection(nameof(Alone))]
public sealed class AllocationTests
{
    private const int WarmUp = 5_000;
    private const int Measured = 50_000;

    // Features, lease, response, abort signal, body writer, response headers. What the thread pool and the
    // heartbeat allocate by themselves is far below.
    private const double AllowedBytesPerRequest = 808;

    // Seconds as a rule; the measure is bytes, and a busy machine is no failure.
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData(FastCgiTransport.Epoll)]
    [InlineData(FastCgiTransport.Sockets)]
    public async Task Fifty_thousand_small_requests_allocate_their_handles_alone(FastCgiTransport transport)
    {
        string directory = Directory.CreateTempSubdirectory("fcgi-").FullName;
        string path = Path.Combine(directory, "app.sock");
        var options = new FastCgiServerOptions { Transport = transport };
        options.ListenUnixSocket(path);
        await using var services = new ServiceCollection().BuildServiceProvider();
        await using var server = new FastCgiServer(Options.Create(options), NullLoggerFactory.Instance, services);
        await server.StartAsync(new PlainApplication(), TestContext.Current.CancellationToken);

        double perRequest = await Task.Run(() => Measure(path)).Within("the requests", deadline: s_deadline);

        Directory.Delete(directory, recursive: true);
        TestContext.Current.TestOutputHelper!.WriteLine($"{transport}: {perRequest:F3} bytes a request");
        Assert.InRange(perRequest, 0, AllowedBytesPerRequest);
    }

    private static double Measure(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(path));
        byte[] request = new RecordBuilder().Request(new RequestScript { Target = "/plaintext?x=1" }).ToArray();
        byte[] answer = new byte[4096];
        Send(socket, request, answer, WarmUp);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Send(socket, request, answer, Measured);
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Measured;
    }

    private static void Send(Socket socket, byte[] request, byte[] answer, int count)
    {
        for (int i = 0; i < count; i++)
        {
            socket.Send(request);

            int length = 0;
            while (!EndsWithEndRequest(answer.AsSpan(0, length)))
            {
                int received = socket.Receive(answer.AsSpan(length));
                length += received > 0 ? received : throw new EndOfStreamException("The server closed the connection.");
            }
        }
    }

    /// <summary>Usually after one receive; a machine that takes the server's thread away may cut the answer in two.</summary>
    private static bool EndsWithEndRequest(ReadOnlySpan<byte> answer) => answer is [.., 1, 3, _, _, 0, 8, 0, 0, _, _, _, _, _, _, _, _];

    /// <summary>Hosting without its own allocations: one context for all requests, and a constant answer.</summary>
    private sealed class PlainApplication : IHttpApplication<IFeatureCollection>
    {
        private static readonly byte[] s_body = "Hello, World!"u8.ToArray();

        public IFeatureCollection CreateContext(IFeatureCollection contextFeatures) => contextFeatures;

        public Task ProcessRequestAsync(IFeatureCollection context)
        {
            var response = context.Get<IHttpResponseFeature>()!;
            response.Headers.ContentType = "text/plain";
            response.Headers.ContentLength = s_body.Length;
            ValueTask<FlushResult> write =
                context.Get<IHttpResponseBodyFeature>()!.Writer.WriteAsync(s_body);
            return write.IsCompletedSuccessfully ? Task.CompletedTask : write.AsTask();
        }

        public void DisposeContext(IFeatureCollection context, Exception? exception)
        {
        }
    }
}
