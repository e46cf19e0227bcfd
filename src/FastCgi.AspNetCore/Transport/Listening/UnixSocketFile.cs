using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>
/// The file of a listening unix socket: made with its mode and owner before anybody can connect, taken over from a
/// process that died, and removed at the stop if it is still the one we made.
/// </summary>
internal sealed partial class UnixSocketFile
{
    private readonly string _path;
    private readonly SocketFileIdentity? _identity;

    private UnixSocketFile(string path, SocketFileIdentity? identity)
    {
        _path = path;
        _identity = identity;
    }

    /// <summary>
    /// A bound socket that does not listen yet. The file is null for an abstract socket, which has none.
    /// </summary>
    public static Socket Bind(
        UnixDomainSocketEndPoint endPoint, ListenTarget target, ILogger logger, out UnixSocketFile? file)
    {
        string path = endPoint.ToString();
        bool isAbstract = path.StartsWith('@') || path.StartsWith('\0');
        if (!isAbstract)
        {
            CheckPath(path, target);
            RemoveStale(path, target, logger);
        }

        Socket socket = BindWithoutOwning(endPoint, target);
        file = null;
        if (isAbstract)
        {
            return socket;
        }

        var bound = new UnixSocketFile(path, SocketFileIdentity.TryRead(path));
        try
        {
            UnixSocketAccess.Apply(path, target);
        }
        catch
        {
            socket.Dispose();
            bound.Remove(logger);
            throw;
        }

        file = bound;
        return socket;
    }

    /// <summary>Removes the file unless another process has put its own in place.</summary>
    public void Remove(ILogger logger)
    {
        try
        {
            bool isOurs = _identity is null ? !IsAnswered(_path) : SocketFileIdentity.TryRead(_path) == _identity;
            if (isOurs)
            {
                File.Delete(_path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The next start takes it over as stale.
            LogKept(logger, _path, exception.Message);
        }
    }

    /// <summary>
    /// <see cref="Socket"/> deletes, when disposed, whatever file then has the name it bound; a socket made from the
    /// bare descriptor does not, and leaves that decision to <see cref="Remove"/>.
    /// </summary>
    private static Socket BindWithoutOwning(UnixDomainSocketEndPoint endPoint, ListenTarget target)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Bind(endPoint);
        }
        catch (SocketException exception)
        {
            socket.Dispose();
            string reason = exception.SocketErrorCode == SocketError.AddressAlreadyInUse
                ? "address already in use" : exception.Message;
            throw new IOException($"Failed to bind to address {target}: {reason}.", exception);
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
            throw new IOException(
                $"Failed to bind to address {target}: the directory {directory} does not exist or cannot be entered.");
        }

        if (Directory.Exists(path))
        {
            throw new IOException($"Failed to bind to address {target}: there is a directory at this path.");
        }
    }

    /// <summary>
    /// A file that nobody answers on was left by a process that died. What is no socket, and what somebody answers on,
    /// stays.
    /// </summary>
    private static void RemoveStale(string path, ListenTarget target, ILogger logger)
    {
        SocketFileIdentity? before = SocketFileIdentity.TryRead(path);
        if (before is null && !File.Exists(path))
        {
            return;
        }

        if (!(before?.IsSocket ?? IsSocketByOpening(path)))
        {
            throw new IOException(
                $"Failed to bind to address {target}: there is a file at this path that is no socket. It was left " +
                "alone.");
        }

        if (IsAnswered(path))
        {
            throw new IOException(
                $"Failed to bind to address {target}: address already in use.",
                new SocketException((int)SocketError.AddressAlreadyInUse));
        }

        // Another process may have found the same stale file and put its own socket there since.
        if (SocketFileIdentity.TryRead(path) == before)
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                throw new IOException(
                    $"Failed to bind to address {target}: nobody answers on the socket at this path, but it cannot " +
                    $"be removed: {exception.Message}",
                    exception);
            }

            LogStaleRemoved(logger, path);
        }
    }

    /// <summary>Whether a process listens there. Yes, too, when it cannot be told: no right to connect.</summary>
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
            // A full backlog says "would block" to a socket that does not wait: somebody is there.
            return exception.SocketErrorCode != SocketError.ConnectionRefused && File.Exists(path);
        }
    }

    /// <summary>Where the kind of a file cannot be asked for: a socket cannot be opened.</summary>
    private static bool IsSocketByOpening(string path)
    {
        try
        {
            using FileStream opened = File.OpenRead(path);
            return false;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }

    [LoggerMessage(LogEvents.StaleSocketRemoved, LogLevel.Information,
        "Nobody answered on the socket {Path}: it was left by a process that died, and is replaced.",
        EventName = nameof(LogEvents.StaleSocketRemoved))]
    private static partial void LogStaleRemoved(ILogger logger, string path);

    [LoggerMessage(LogEvents.SocketFileKept, LogLevel.Warning,
        "The socket file {Path} could not be removed: {Reason}",
        EventName = nameof(LogEvents.SocketFileKept))]
    private static partial void LogKept(ILogger logger, string path, string reason);
}
