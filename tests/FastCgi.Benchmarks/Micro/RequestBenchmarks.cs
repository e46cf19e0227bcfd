using BenchmarkDotNet.Attributes;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.TestKit;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.Benchmarks.Micro;

/// <summary>
/// The whole server but for sockets and hosting: records in, an application that answers, records out.
/// </summary>
[MemoryDiagnoser]
public class RequestBenchmarks : IDisposable
{
    private readonly byte[] _output = new byte[4096];
    private readonly MemoryConnection _kept;
    private readonly ConnectionSet _connections;
    private readonly byte[] _get = BenchmarkRequest.Records;
    private readonly byte[] _getAndClose =
        new RecordBuilder().Request(BenchmarkRequest.Script with { KeepConnection = false }).ToArray();
    private readonly byte[] _post = new RecordBuilder()
        .Request(BenchmarkRequest.Script with
        {
            Method = "POST",
            Body = new byte[1024],
            Headers = [.. BenchmarkRequest.Script.Headers, ("Content-Type", "application/octet-stream")],
        })
        .ToArray();

    private readonly FastCgiListenOptions _endpoint = new(handle: 0);

    public RequestBenchmarks()
    {
        var server = new ServerContext(new FastCgiServerOptions(), NullLoggerFactory.Instance, TimeProvider.System);
        _connections = new ConnectionSet(server, new ApplicationRunner<IFeatureCollection>(new Application()));
        _kept = new MemoryConnection(_output);
        _connections.OnAccepted(_kept, _endpoint);
    }

    [Benchmark(Description = "GET on a kept connection")]
    public int Get() => Serve(_kept, _get);

    [Benchmark(Description = "POST of 1 KiB on a kept connection, body read")]
    public int Post() => Serve(_kept, _post);

    [Benchmark(Description = "GET on a connection of its own")]
    public int GetAndClose()
    {
        var connection = new MemoryConnection(_output);
        _connections.OnAccepted(connection, _endpoint);
        return Serve(connection, _getAndClose);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _connections.Dispose();
        GC.SuppressFinalize(this);
    }

    private static int Serve(MemoryConnection connection, byte[] request)
    {
        connection.Deliver(request);
        return connection.Sent is [.., 1, 3, _, _, 0, 8, 0, 0, 0, 0, 0, 0, 0, _, _, _]
            ? connection.SentLength
            : throw new InvalidOperationException("The request was not answered.");
    }

    /// <summary>Hosting without its own cost: one context for all requests, and a constant answer.</summary>
    private sealed class Application : IHttpApplication<IFeatureCollection>
    {
        private static readonly byte[] s_body = "Hello, World!"u8.ToArray();

        private readonly byte[] _read = new byte[4096];

        public IFeatureCollection CreateContext(IFeatureCollection contextFeatures) => contextFeatures;

        public async Task ProcessRequestAsync(IFeatureCollection context)
        {
            var request = context.GetRequiredFeature<IHttpRequestFeature>();
            if (request.Method == HttpMethods.Post)
            {
                while (await request.Body.ReadAsync(_read) > 0)
                {
                }
            }

            var response = context.GetRequiredFeature<IHttpResponseFeature>();
            response.Headers.ContentType = "text/plain";
            response.Headers.ContentLength = s_body.Length;
            await context.GetRequiredFeature<IHttpResponseBodyFeature>().Writer.WriteAsync(s_body);
        }

        public void DisposeContext(IFeatureCollection context, Exception? exception)
        {
        }
    }
}
