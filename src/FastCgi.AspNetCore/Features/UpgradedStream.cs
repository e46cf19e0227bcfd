namespace FastCgi.AspNetCore.Features;

/// <summary>
/// Both directions of an upgraded connection. Each is the stream of a body, with its rules: each write is flushed, and
/// after the end of the request everything throws.
/// </summary>
internal sealed class UpgradedStream(RequestBodyStream input, ResponseBodyStream output) : BodyStream
{
    public override bool CanRead => input.CanRead;

    public override bool CanWrite => output.CanWrite;

    public override int Read(byte[] buffer, int offset, int count) => input.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => input.Read(buffer);

    public override int ReadByte() => input.ReadByte();

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        input.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        input.ReadAsync(buffer, cancellationToken);

    public override IAsyncResult BeginRead(
        byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        input.BeginRead(buffer, offset, count, callback, state);

    public override int EndRead(IAsyncResult asyncResult) => input.EndRead(asyncResult);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken) =>
        input.CopyToAsync(destination, bufferSize, cancellationToken);

    public override void Write(byte[] buffer, int offset, int count) => output.Write(buffer, offset, count);

    public override void Write(ReadOnlySpan<byte> buffer) => output.Write(buffer);

    public override void WriteByte(byte value) => output.WriteByte(value);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        output.WriteAsync(buffer, offset, count, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        output.WriteAsync(buffer, cancellationToken);

    public override IAsyncResult BeginWrite(
        byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        output.BeginWrite(buffer, offset, count, callback, state);

    public override void EndWrite(IAsyncResult asyncResult) => output.EndWrite(asyncResult);

    public override void Flush() => output.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);

    /// <summary>The request has ended: every later use throws.</summary>
    internal void Stop()
    {
        input.Stop();
        output.Stop();
    }
}
