namespace FastCgi.Client.Requests;

/// <summary>
/// A body of unknown length that was read completely into a <see cref="TemporaryFile"/>. It can be sent several times.
/// </summary>
internal sealed class BufferedContent : HttpContent
{
    /// <summary>For a content that writes in small pieces; .NET's own default.</summary>
    private const int BufferSize = 4096;

    private readonly FileStream _file;

    private BufferedContent(FileStream file, HttpContent original)
    {
        _file = file;
        foreach ((string name, System.Net.Http.Headers.HeaderStringValues values) in original.Headers.NonValidated)
        {
            // A declared length may be wrong. The file has the right one.
            if (!name.Equals("Content-Length", StringComparison.OrdinalIgnoreCase))
            {
                Headers.TryAddWithoutValidation(name, values);
            }
        }
    }

    public static async ValueTask<BufferedContent> ReadAsync(HttpContent content, CancellationToken cancellationToken)
    {
        FileStream file = TemporaryFile.Create(Path.GetTempPath(), BufferSize);
        try
        {
            await content.CopyToAsync(file, cancellationToken).ConfigureAwait(false);
            await file.FlushAsync(cancellationToken).ConfigureAwait(false);
            return new BufferedContent(file, content);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        _file.Position = 0;
        return _file.CopyToAsync(stream, cancellationToken);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = _file.Length;
        return true;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _file.Dispose();
        }

        base.Dispose(disposing);
    }
}
