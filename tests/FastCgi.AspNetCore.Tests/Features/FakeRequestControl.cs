using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>A request as the features see it, with everything that they asked of it.</summary>
internal sealed class FakeRequestControl : IRequestControl, IResponseControl
{
    private int _lastIdentifier;

    public List<string> Calls { get; } = [];

    public Task<Stream> UpgradeAsync()
    {
        Calls.Add("UpgradeAsync");
        return Task.FromResult(UpgradedStream);
    }

    public List<Exception> OnCompletedFailures { get; } = [];

    public Pipe RequestPipe { get; } = new();

    public Pipe ResponsePipe { get; } = new();

    public bool HasStarted { get; set; }

    public bool CanHaveBody { get; set; }

    public bool HasBodyReadingStarted { get; set; }

    public MinDataRate? MinBodyDataRate { get; set; }

    public MinDataRate? MinResponseDataRate { get; set; }

    public Socket Socket { get; } = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    public ICollection<KeyValuePair<string, object?>>? ConnectionMetricsTags { get; set; }

    public Stream RequestStream { get; } = new MemoryStream([1, 2, 3]);

    public Stream Stream { get; } = new MemoryStream();

    public PipeReader RequestReader => RequestPipe.Reader;

    public Exception? TakeReaderError() => null;

    public PipeWriter Writer => ResponsePipe.Writer;

    public CancellationToken RequestAborted { get; } = new CancellationTokenSource().Token;

    public string ConnectionId => "0HFASTCGI";

    public EndPoint? PeerEndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 40000);

    public EndPoint? SocketEndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 9000);

    public CancellationToken ConnectionClosed { get; } = new CancellationTokenSource().Token;

    public CancellationToken ConnectionClosedRequested { get; } = new CancellationTokenSource().Token;

    public bool AllowsUpgrade { get; set; }

    public bool IsUpgradable { get; set; }

    public Stream UpgradedStream { get; } = new MemoryStream();

    public FastCgiEndpointProtocol Protocol => FastCgiEndpointProtocol.Scgi;

    public FastCgiRole Role => FastCgiRole.Authorizer;

    public int RequestId => 77;

    public bool KeepConnection => true;

    public string CreateTraceIdentifier(CgiParams @params) => $"{ConnectionId}:{++_lastIdentifier:X8}";

    public Task StartAsync(CancellationToken cancellationToken) => Record("start");

    public Task CompleteAsync() => Record("complete");

    public void DisableBuffering() => Record("unbuffered");

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken)
        => Record($"file {path} {offset} {count}");

    public void Abort() => Record("abort");

    public void RequestConnectionClose() => Record("close");

    public void AbortConnection() => Record("abort connection");

    public void OnCompletedFailed(Exception exception) => OnCompletedFailures.Add(exception);

    public void OnRemoteAddressUnreadable(ReadOnlySpan<byte> text) => Record("unreadable address");

    public void OnClientCertificateDamaged() => Record("damaged certificate");

    public ValueTask WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
        => new(Record("error " + Encoding.UTF8.GetString(text.Span)));

    private Task Record(string call)
    {
        Calls.Add(call);
        return Task.CompletedTask;
    }
}
