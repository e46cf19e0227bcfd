using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Client;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>A <see cref="TemporaryFile"/> that is written and read in order, by one caller at a time.</summary>
internal sealed class SpillFile : IDisposable
{
    private const string FolderVariable = "ASPNETCORE_TEMP";

    private readonly FileStream _stream;
    private long _readTo;
    private long _writtenTo;

    public SpillFile()
    {
        string folder = FindFolder(Environment.GetEnvironmentVariable(FolderVariable));
        _stream = TemporaryFile.Create(folder, bufferSize: 0);
    }

    /// <summary>True if everything that was written has been read.</summary>
    public bool IsEmpty => _readTo == _writtenTo;

    private SafeFileHandle Handle => _stream.SafeFileHandle;

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> content)
    {
        await PoolWork.WriteAsync(Handle, content, _writtenTo).ConfigureAwait(false);
        _writtenTo += content.Length;
    }

    /// <summary>Fills <paramref name="buffer"/> as far as there is content. Returns the number of bytes.</summary>
    public async ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        buffer = buffer[..(int)Math.Min(buffer.Length, _writtenTo - _readTo)];
        int read = await PoolWork.ReadAsync(Handle, buffer, _readTo).ConfigureAwait(false);
        if (read == 0 && buffer.Length > 0)
        {
            throw new EndOfStreamException("A temporary file of a request body has become shorter.");
        }

        _readTo += read;
        if (IsEmpty)
        {
            // The next write overwrites the bytes that were read, so the file never grows beyond its unread content.
            _readTo = _writtenTo = 0;
        }

        return read;
    }

    public void Dispose() => _stream.Dispose();

    /// <summary>The reason why temporary files cannot be used, or null.</summary>
    public static string? FindFault()
    {
        try
        {
            using var file = new SpillFile();
            RandomAccess.Write(file.Handle, new byte[4096], fileOffset: 0);
            return null;
        }
        catch (Exception exception)
        {
            // Any exception: beyond RLIMIT_FSIZE, .NET throws an ArgumentOutOfRangeException. A server without
            // temporary files still serves most requests, so it starts.
            return exception.Message;
        }
    }

    /// <summary>Finds the folder for temporary files as ASP.NET Core does.</summary>
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    internal static string FindFolder(string? configured)
    {
        string folder = string.IsNullOrEmpty(configured) ? Path.GetTempPath() : configured;
        return Directory.Exists(folder)
            ? folder
            : throw new DirectoryNotFoundException(
                $"The folder for temporary files, '{folder}', does not exist. " +
                $"Create it, or set {FolderVariable} to a folder that exists.");
    }
}
