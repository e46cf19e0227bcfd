namespace FastCgi.Client.Requests;

/// <summary>
/// A body of unknown length that was read completely into a temporary file. It can be sent several times. No other user
/// can open the file (mode 0600). On Unix its name is deleted at once, so that even a killed process leaves no file
/// behind.
/// </summary>
internal sealed class BufferedContent : HttpContent
{
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
        FileStream file = CreateFile();
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

    private static FileStream CreateFile()
    {
        string path = Path.Combine(Path.GetTempPath(), $"fastcgi-body-{Guid.NewGuid():N}");
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite };
        if (OperatingSystem.IsWindows())
        {
            options.Options = FileOptions.Asynchronous | FileOptions.DeleteOnClose;
            return new FileStream(path, options);
        }

        options.Options = FileOptions.Asynchronous;
        options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        var file = new FileStream(path, options);
        File.Delete(path);
        return file;
    }
}
