using FastCgi.Client.Responses;

namespace FastCgi.Client.Sending;

/// <summary>
/// Both directions of a connection that the application has upgraded (RFC 9110, section 7.8). One reader and one writer
/// at a time. Disposal closes the connection, and so does the end of the response.
/// </summary>
internal sealed class SwitchedStream(IContentSource input, Stream output) : ResponseStream(input)
{
    public override bool CanWrite => !IsDisposed;

    public override ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        output.WriteAsync(buffer, cancellationToken);
}
