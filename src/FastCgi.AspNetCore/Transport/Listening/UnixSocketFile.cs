using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>
/// The file of a listening unix socket. Created with its mode and owner before a peer can connect. Taken over from a
/// process that died. Removed at the stop if it is still ours. Meanwhile a <see cref="LockFile"/> keeps other instances
/// away.
/// </summary>
internal sealed partial class UnixSocketFile : IDisposable
{
    private const UnixFileMode DefaultMode =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;

    private readonly string _path;
    private readonly SocketFileStatus? _made;
    private readonly LockFile? _lock;

    private UnixSocketFile(string path, SocketFileStatus? made, LockFile? held) =>
        (_path, _made, _lock) = (path, made, held);

    /// <summary>Binds a socket that does not listen yet. The file is null for an abstract socket.</summary>
    public static Socket Bind(ListenTarget target, ILogger logger, out UnixSocketFile? file)
    {
        string path = target.EndPoint!.ToString()!;
        file = null;
        if (UnixSocketPath.IsAbstract(target.EndPoint))
        {
            return BindWithoutOwning(target);
        }

        CheckPath(path, target);
        if (!LockFile.TryTake(path, logger, out LockFile? held))
        {
            throw IsAnswered(path)
                ? InUse(target)
                : target.BindFailed(
                    $"another instance is starting there. It holds the lock {LockFile.PathFor(path)}.");
        }

        Socket? socket = null;
        UnixSocketFile? bound = null;
        try
        {
            RemoveStale(path, target, logger);
            socket = BindWithoutOwning(target);
            using SafeFileHandle? opened = OpenBound(path, socket);
            bound = new UnixSocketFile(path, opened is null ? null : SocketFileStatus.TryRead(opened), held);
            Apply(opened, path, WithMode(target.Access));
            file = bound;
            return socket;
        }
        catch
        {
            if (bound is not null)
            {
                bound.Remove(logger);
            }
            else
            {
                held?.Remove();
            }

            socket?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Called when the socket listens. Throws an <see cref="IOException"/> if the path does not lead to it. Then a
    /// process without the lock has removed the file before, and no peer would ever connect.
    /// </summary>
    public void ThrowIfReplaced(ListenTarget target)
    {
        if (_made is not null && !IsOurs())
        {
            throw target.BindFailed("another process removed the new socket during the start.");
        }
    }

    /// <summary>
    /// Gives the file the mode and owner while the socket listens; unset ones are those of a new file. If that fails,
    /// throws an <see cref="IOException"/> and leaves the file unchanged. Linux.
    /// </summary>
    /// <returns>An action that undoes the change.</returns>
    public Action ChangeAccess(SocketAccess access)
    {
        using SafeFileHandle? opened = Open();
        if (_made is not { } made || opened is null || SocketFileStatus.TryRead(opened) is not { } before)
        {
            throw new IOException(
                $"The mode and the owner of the unix socket {_path} could not be changed: the socket of this server "
                + "is not found there.");
        }

        try
        {
            Apply(opened, _path, made.Complete(WithMode(access)));
            return Undo;
        }
        catch
        {
            Undo();
            throw;
        }

        void Undo()
        {
            using SafeFileHandle? again = Open();
            if (again is not null)
            {
                Apply(again, _path, before.Complete(default));
            }
        }

        SafeFileHandle? Open() => TryOpen(_path, found => SocketFileStatus.AreOfOneFile(found, _made));
    }

    /// <summary>Adds the default mode, that of a PHP-FPM socket, if there is none.</summary>
    private static SocketAccess WithMode(SocketAccess access) =>
        OperatingSystem.IsWindows() ? access : access with { Mode = access.Mode ?? DefaultMode };

    /// <summary>
    /// Removes the file unless it is another process's, and frees the lock. While the socket is open, no other file can
    /// have its inode number.
    /// </summary>
    public void Remove(ILogger logger)
    {
        try
        {
            if (_made is null ? !IsAnswered(_path) : IsOurs())
            {
                File.Delete(_path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The next start takes it over as stale.
            SocketFileKept(logger, _path, exception.Message);
        }

        _lock?.Remove();
    }

    /// <summary>Frees the lock and leaves both files, as if the process had died.</summary>
    public void Dispose() => _lock?.Dispose();

    private bool IsOurs() => SocketFileStatus.AreOfOneFile(SocketFileStatus.TryRead(_path), _made);

    /// <summary>
    /// Binds a socket that does not own its file. A disposed <see cref="Socket"/> deletes any file that then has the
    /// name it bound. A socket from the bare descriptor does not, and leaves the decision to <see cref="Remove"/>.
    /// </summary>
    private static Socket BindWithoutOwning(ListenTarget target)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Bind(target.EndPoint!);
        }
        catch (SocketException exception)
        {
            socket.Dispose();
            throw target.BindFailed(exception);
        }

        var handle = new SafeSocketHandle(socket.SafeHandle.DangerousGetHandle(), ownsHandle: true);
        socket.SafeHandle.SetHandleAsInvalid();
#pragma warning disable CA1816 // Not ours to finalize: its finalizer would do what is avoided here.
        GC.SuppressFinalize(socket);
#pragma warning restore CA1816
        return new Socket(handle);
    }

    private static void CheckPath(string path, ListenTarget target)
    {
        string? directory = Path.GetDirectoryName(Path.GetFullPath(path));
        if (!Directory.Exists(directory))
        {
            throw target.BindFailed($"the directory {directory} does not exist or cannot be entered.");
        }

        if (Directory.Exists(path))
        {
            throw target.BindFailed("there is a directory at this path.");
        }
    }

    private static IOException InUse(ListenTarget target) =>
        target.BindFailed(new SocketException((int)SocketError.AddressAlreadyInUse));

    /// <summary>
    /// Removes a socket that does not answer, because the process that created it has died. Keeps sockets that answer
    /// and files that are not sockets. Needs the lock.
    /// </summary>
    private static void RemoveStale(string path, ListenTarget target, ILogger logger)
    {
        SocketFileStatus? before = SocketFileStatus.TryRead(path);
        if (before is null && !File.Exists(path))
        {
            return;
        }

        if (!(before?.IsSocket ?? IsSocketByOpening(path)))
        {
            throw target.BindFailed("there is a file at this path that is no socket. It was left alone.");
        }

        if (IsAnswered(path))
        {
            throw InUse(target);
        }

        // A process without the lock may have found the same stale file and replaced it with its own socket.
        if (SocketFileStatus.AreOfOneFile(SocketFileStatus.TryRead(path), before))
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                throw target.BindFailed(
                    $"nobody answers on the socket at this path, but it cannot be removed: {exception.Message}",
                    exception);
            }

            StaleSocketRemoved(logger, path);
        }
    }

    /// <summary>True if a process listens there. Also true without permission to connect.</summary>
    private static bool IsAnswered(string path)
    {
        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        probe.Blocking = false;
        try
        {
            probe.Connect(new UnixDomainSocketEndPoint(path));
            return true;
        }
        catch (SocketException exception)
        {
            // "Would block" means a full backlog, so a process listens.
            return exception.SocketErrorCode != SocketError.ConnectionRefused && File.Exists(path);
        }
    }

    /// <summary>For systems that do not report the kind of a file: a socket cannot be opened.</summary>
    private static bool IsSocketByOpening(string path)
    {
        try
        {
            using FileStream opened = File.OpenRead(path);
            return false;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return exception is IOException;
        }
    }

    [LoggerMessage(LogEvents.StaleSocketRemoved, LogLevel.Information,
        "Nobody answered on the socket {Path}: it was left by a process that died, and is replaced.")]
    private static partial void StaleSocketRemoved(ILogger logger, string path);

    [LoggerMessage(LogEvents.SocketFileKept, LogLevel.Warning,
        "The socket file {Path} could not be removed: {Reason}")]
    private static partial void SocketFileKept(ILogger logger, string path, string reason);
}
