using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

internal sealed partial class UnixSocketFile
{
    /// <summary>
    /// A lock file beside a unix socket, <c>app.sock.lock</c>. An instance holds it from before it checks the socket
    /// until it stops listening. So a socket that is bound but does not listen yet is never taken for the remains of a
    /// dead process.
    /// </summary>
    /// <remarks>
    /// The system frees the lock of a process that dies. The file has mode 0600, because every user who can open it can
    /// hold it. On Linux it is removed with the socket. Elsewhere it stays, because it cannot be distinguished from
    /// another instance's. If it cannot be created, the instance logs that and starts without it.
    /// </remarks>
    private sealed partial class LockFile : IDisposable
    {
        /// <summary>One is enough unless other instances start and stop at the same time.</summary>
        private const int MostAttempts = 100;

        /// <summary>ELOOP of Linux.</summary>
        private const int SymbolicLink = 40;

        private const int ExclusiveWithoutWait = 2 | 4;

        private readonly string _path;
        private readonly SafeFileHandle _file;

        private LockFile(string path, SafeFileHandle file) => (_path, _file) = (path, file);

        /// <summary>Takes the lock; null without a file. False if another instance has the lock and a socket.</summary>
        public static bool TryTake(string socketPath, ILogger logger, out LockFile? taken)
        {
            string path = PathFor(socketPath);
            taken = null;
            for (int attempt = 0; attempt < MostAttempts; attempt++)
            {
                SafeFileHandle? file;
                try
                {
                    file = Open(path);
                }
                catch (IOException exception) when (exception.HResult == SymbolicLink)
                {
                    // Otherwise a process that may write to the folder could choose the file that this one creates.
                    throw new IOException(
                        $"Failed to bind to address unix:{socketPath}: {path}, the lock file beside the socket, is a " +
                        "symbolic link. Remove it, and use a folder that only root and the user of this process can " +
                        "write to.",
                        exception);
                }
                catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                {
                    SocketNotLocked(logger, socketPath, exception.Message);
                    return true;
                }

                if (file is null)
                {
                    if (Path.Exists(socketPath))
                    {
                        return false;
                    }

                    // The holder's socket was removed, so its peers cannot reach it. Or the holder is about to bind;
                    // then the bind decides which of the two gets the path. The holder keeps its lock, on a file
                    // without a name.
                    if (TryDelete(path))
                    {
                        continue;
                    }

                    SocketNotLocked(logger, socketPath, "Another process holds its lock.");
                    return true;
                }

                if (SocketFileStatus.AreOfOneFile(SocketFileStatus.TryRead(path), SocketFileStatus.TryRead(file)))
                {
                    taken = new LockFile(path, file);
                    return true;
                }

                // Its holder removed it between our open and our lock.
                file.Dispose();
            }

            SocketNotLocked(logger, socketPath, "The lock file does not stay the same.");
            return true;
        }

        public static string PathFor(string socketPath) => socketPath + ".lock";

        /// <summary>Removes the file, unless it is another instance's, and frees the lock.</summary>
        public void Remove()
        {
            // In this order: an instance that has opened the file meanwhile then finds that its name is gone.
            if (SocketFileStatus.TryRead(_file) is { } ours
                && SocketFileStatus.AreOfOneFile(SocketFileStatus.TryRead(_path), ours))
            {
                TryDelete(_path);
            }

            Dispose();
        }

        /// <summary>Frees the lock and leaves the file, as if the process had died.</summary>
        public void Dispose() => _file.Dispose();

        /// <summary>The locked file; null if another process holds the lock.</summary>
        private static SafeFileHandle? Open(string path)
        {
            if (OperatingSystem.IsLinux())
            {
                SafeFileHandle opened = OpenUnfollowed(path, ReadWrite | Create);
                if (opened.IsInvalid)
                {
                    int error = Marshal.GetLastPInvokeError();
                    opened.Dispose();
                    throw new IOException(Marshal.GetPInvokeErrorMessage(error), error);
                }

                // A file system without locks reports another error.
                if (Lock(opened, ExclusiveWithoutWait) != 0 && Marshal.GetLastPInvokeError() == ErrorNumber.WouldBlock)
                {
                    opened.Dispose();
                    return null;
                }

                return opened;
            }

            if (new FileInfo(path).LinkTarget is not null)
            {
                throw new IOException("A symbolic link.", SymbolicLink);
            }

            try
            {
                // FileShare.None takes an exclusive flock without waiting for it.
                SafeFileHandle file = File.OpenHandle(
                    path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
                if (!OperatingSystem.IsWindows())
                {
                    File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite);
                }

                return file;
            }
            catch (IOException exception) when (exception.HResult is
                35 /* EWOULDBLOCK of macOS */ or unchecked((int)0x80070020) /* sharing violation */)
            {
                return null;
            }
        }

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
            "There is no lock file beside the socket {Path}: {Reason} Two instances that start there at the same "
            + "moment may not notice each other.")]
        private static partial void SocketNotLocked(ILogger logger, string path, string reason);

        [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
        private static partial int Lock(SafeFileHandle file, int operation);
    }
}
