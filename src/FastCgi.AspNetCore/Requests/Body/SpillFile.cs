using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// A temporary file read and written in order. Nobody else can open it (mode 0600), and on Unix it has no name from
/// the moment it exists, so that even a process that is killed leaves nothing behind. One caller at a time.
/// </summary>
internal sealed class SpillFile : IDisposable
{
    private readonly FileStream _stream;
    private long _readTo;
    private long _writtenTo;

    public SpillFile()
    {
        bool isWindows = OperatingSystem.IsWindows();
        string path = Path.Combine(Path.GetTempPath(), $"fastcgi-body-{Path.GetRandomFileName()}");
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = isWindows ? FileShare.None : FileShare.Delete,
            BufferSize = 0,
            Options = FileOptions.Asynchronous | (isWindows ? FileOptions.DeleteOnClose : FileOptions.None),
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        _stream = new FileStream(path, options);
        if (!isWindows)
        {
            File.Delete(path);
        }
    }

    /// <summary>All that was written has been read.</summary>
    public bool IsEmpty => _readTo == _writtenTo;

    private SafeFileHandle Handle => _stream.SafeFileHandle;

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> content)
    {
        await RandomAccess.WriteAsync(Handle, content, _writtenTo).ConfigureAwait(false);
        _writtenTo += content.Length;
    }

    /// <summary>Fills <paramref name="buffer"/> as far as there is content.</summary>
    public async ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        buffer = buffer[..(int)Math.Min(buffer.Length, _writtenTo - _readTo)];
        int read = await RandomAccess.ReadAsync(Handle, buffer, _readTo).ConfigureAwait(false);
        if (read == 0 && buffer.Length > 0)
        {
            throw new EndOfStreamException("A temporary file of a request body has become shorter.");
        }

        _readTo += read;
        if (IsEmpty)
        {
            // The next bytes take the place of those that were read: the file is as large as what waits in it.
            _readTo = _writtenTo = 0;
        }

        return read;
    }

    public void Dispose() => _stream.Dispose();
}
