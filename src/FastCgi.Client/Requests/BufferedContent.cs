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

    /// <exception cref="HttpRequestException">The file cannot take the body.</exception>
    public static async ValueTask<BufferedContent> ReadAsync(
        HttpContent content, string folder, CancellationToken cancellationToken)
    {
        FileStream file = CreateFile(folder);
        try
        {
            await content.CopyToAsync(file, cancellationToken).ConfigureAwait(false);
            await file.FlushAsync(cancellationToken).ConfigureAwait(false);
            return new BufferedContent(file, content);
        }
        catch (Exception exception)
        {
            await CloseAsync(file).ConfigureAwait(false);
            switch (exception)
            {
                case InvalidOperationException:
                    throw StdinStream.FailureOf(exception);
                case IOException:
                    throw NoFile(folder, exception);
                default:
                    throw;
            }
        }
    }

    private static FileStream CreateFile(string folder)
    {
        try
        {
            return TemporaryFile.Create(folder, BufferSize);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw NoFile(folder, exception);
        }
    }

    /// <summary>Closes a file that may fail again, because it writes its buffer first.</summary>
    private static async ValueTask CloseAsync(FileStream file)
    {
        try
        {
            await file.DisposeAsync().ConfigureAwait(false);
        }
        catch (IOException)
        {
        }
    }

    private static FastCgiException NoFile(string folder, Exception exception) => new(
        FastCgiError.Unknown,
        $"The request content has no length, and no temporary file in {folder} can take it: " +
        $"{exception.Message.TrimEnd('.')}. Set TMPDIR to another folder, or send a content that has a length.",
        exception);

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
