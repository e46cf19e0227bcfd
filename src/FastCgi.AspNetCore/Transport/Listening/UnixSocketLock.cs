using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>
/// A lock file beside a unix socket, <c>app.sock.lock</c>. An instance holds it from before it looks at the socket
/// until it stops listening. So a socket that is bound and does not listen yet is never taken for one that a dead
/// process left.
/// </summary>
/// <remarks>
/// The system frees the lock of a process that dies. The file has mode 0600, since everybody who may open it may hold
/// it. It is removed with the socket. If it cannot be made, one entry says so and the instance starts without it.
/// </remarks>
internal sealed partial class UnixSocketLock : IDisposable
{
    /// <summary>One is enough unless other instances start and stop at the same moment.</summary>
    private const int MostAttempts = 100;

    private readonly string _path;
    private readonly FileStream _file;

    private UnixSocketLock(string path, FileStream file)
    {
        _path = path;
        _file = file;
    }

    /// <summary>
    /// Locks; null if no lock file can be made there. False: another instance holds the lock, and there is a socket.
    /// </summary>
    public static bool TryTake(string socketPath, ILogger logger, out UnixSocketLock? taken)
    {
        string path = PathFor(socketPath);
        taken = null;
        for (int attempt = 0; attempt < MostAttempts; attempt++)
        {
            FileStream file;
            try
            {
                file = Open(path);
            }
            catch (IOException exception) when (IsHeld(exception))
            {
                if (Path.Exists(socketPath))
                {
                    return false;
                }

                // The holder's socket was removed, so the holder is not reached any more, or it is about to bind, and
                // the bind decides which of the two gets the path. Its lock stays its own, on a file without a name.
                if (TryDelete(path))
                {
                    continue;
                }

                LogNotLocked(logger, socketPath, exception.Message);
                return true;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                LogNotLocked(logger, socketPath, exception.Message);
                return true;
            }

            if (SocketFileIdentity.TryRead(path) == SocketFileIdentity.TryRead(file.SafeFileHandle))
            {
                taken = new UnixSocketLock(path, file);
                return true;
            }

            // Its holder removed it between the opening and the lock.
            file.Dispose();
        }

        LogNotLocked(logger, socketPath, "The lock file does not stay the same.");
        return true;
    }

    /// <summary>The lock file of a socket.</summary>
    public static string PathFor(string socketPath) => socketPath + ".lock";

    /// <summary>Removes the file, unless another instance has put its own there, and frees the lock.</summary>
    public void Remove()
    {
        // In this order: an instance that opened the file meanwhile finds that the name is gone.
        SocketFileIdentity? ours = SocketFileIdentity.TryRead(_file.SafeFileHandle);
        if (ours is not null && SocketFileIdentity.TryRead(_path) == ours)
        {
            TryDelete(_path);
        }

        Dispose();
    }

    /// <summary>Frees the lock and leaves the file, as a process that dies does.</summary>
    public void Dispose() => _file.Dispose();

    private static FileStream Open(string path)
    {
        // FileShare.None takes an exclusive flock and does not wait for it.
        var options = new FileStreamOptions
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        return new FileStream(path, options);
    }

    private static bool IsHeld(IOException exception) => exception.HResult is
        11 /* EWOULDBLOCK of Linux */ or 35 /* of macOS */ or unchecked((int)0x80070020) /* sharing violation */;

    private static bool TryDelete(string path)
    {
        try
        {
            File.Delete(path);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    [LoggerMessage(LogEvents.SocketNotLocked, LogLevel.Information,
        "There is no lock file beside the socket {Path}: {Reason} Two instances that start there at the same moment "
        + "may not notice each other.",
        EventName = nameof(LogEvents.SocketNotLocked))]
    private static partial void LogNotLocked(ILogger logger, string path, string reason);
}
