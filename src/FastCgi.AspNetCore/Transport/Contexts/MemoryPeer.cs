using System.IO.Pipelines;
using FastCgi.Client;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Transport.Contexts;

/// <summary>
/// The web server's end of a connection in memory. A write ends when the server has received its bytes. Up to 64 KiB of
/// the server's bytes wait for a reader. Disposing closes both directions. One reader and one writer at a time.
/// </summary>
internal sealed class MemoryPeer : ForwardOnlyStream
{
    private static readonly PipeOptions s_toServer =
        new(pauseWriterThreshold: 1, resumeWriterThreshold: 1, useSynchronizationContext: false);

    private static readonly PipeOptions s_fromServer =
        new(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024, useSynchronizationContext: false);

    private readonly Pipe _output = new(s_toServer);
    private readonly Pipe _input = new(s_fromServer);
    private readonly Stream _reader;
    private readonly CancellationTokenSource _gone = new();

    private MemoryPeer() => _reader = _input.Reader.AsStream(leaveOpen: true);

    public override bool CanRead => true;

    public override bool CanWrite => true;

    /// <summary>Creates both ends of a new connection.</summary>
    public static (ContextConnection Connection, Stream Peer) Connect(ILogger logger)
    {
        var peer = new MemoryPeer();
        var context = new DefaultConnectionContext("memory")
        {
            Transport = new ServerEnd(peer._output.Reader, peer._input.Writer),
            ConnectionClosed = peer._gone.Token,
        };
        return (new ContextConnection(context, logger), peer);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        return _reader.ReadAsync(buffer, cancellationToken);
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        FlushResult result = await _output.Writer.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);
        if (result.IsCompleted)
        {
            throw new IOException("The server has closed the connection.");
        }
    }

    protected override void Dispose(bool disposing)
    {
        bool isFirst = !IsDisposed;
        base.Dispose(disposing);
        if (disposing && isFirst)
        {
            _output.Writer.Complete();
            _input.Reader.CancelPendingRead();
            _input.Reader.Complete();
            _gone.Cancel();
            _gone.Dispose();
        }
    }

    private sealed record ServerEnd(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
