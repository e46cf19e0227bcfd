using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.SampleTests.Hubs;

/// <summary>A WebSocket as SignalR's .NET client takes it: each flush is a text message.</summary>
internal sealed class WebSocketConnection : ConnectionContext
{
    /// <summary>What the client writes at once fits, so that it is one message.</summary>
    private const int BufferSize = 256 * 1024;

    private readonly WebSocketStream _stream;

    public WebSocketConnection(WebSocket socket)
    {
        _stream = WebSocketStream.Create(socket, WebSocketMessageType.Text, Deadline.Default);
        Transport = new Pipes(
            PipeReader.Create(_stream, new StreamPipeReaderOptions(leaveOpen: true)),
            PipeWriter.Create(_stream, new StreamPipeWriterOptions(minimumBufferSize: BufferSize, leaveOpen: true)));
    }

    public override string ConnectionId { get; set; } = Guid.NewGuid().ToString();

    public override IFeatureCollection Features { get; } = new FeatureCollection();

    public override IDictionary<object, object?> Items { get; set; } = new Dictionary<object, object?>();

    public override IDuplexPipe Transport { get; set; }

    /// <summary>The closing handshake.</summary>
    public override async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync();
        await base.DisposeAsync();
    }

    private sealed record Pipes(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
