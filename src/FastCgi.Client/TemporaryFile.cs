namespace FastCgi.Client;

/// <summary>
/// A temporary file for the body of a request. No other user can open it (mode 0600). On Unix its name is deleted at
/// once, so that even a killed process leaves no file behind.
/// </summary>
internal static class TemporaryFile
{
    /// <param name="folder">An existing folder.</param>
    /// <param name="bufferSize">The size of the stream's buffer in bytes; 0 for none.</param>
    public static FileStream Create(string folder, int bufferSize)
    {
        bool isWindows = OperatingSystem.IsWindows();
        string path = Path.Combine(folder, $"fastcgi-body-{Path.GetRandomFileName()}");
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = isWindows ? FileShare.None : FileShare.Delete,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous | (isWindows ? FileOptions.DeleteOnClose : FileOptions.None),
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        var file = new FileStream(path, options);
        if (!isWindows)
        {
            File.Delete(path);
        }

        return file;
    }
}
