using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The file of a unix socket. A file that nobody answers on any more is taken over; a living server's file, a foreign
/// file and a directory are left alone. At the stop the file goes only if it is still the one that was made.
/// </summary>
internal sealed class UnixSocketFile
{
    private readonly string _path;
    private readonly FileIdentity _identity;

    private UnixSocketFile(string path, FileIdentity identity)
    {
        _path = path;
        _identity = identity;
    }

    public static UnixSocketFile Created(string path) => new(path, FileIdentity.Of(path));

    /// <summary>Removes a dead socket at <paramref name="path"/>; refuses whatever else is there.</summary>
    public static void RequireFree(string path, string address)
    {
        string? directory = Path.GetDirectoryName(path);
        if (directory is not null && !Directory.Exists(directory))
        {
            throw new IOException(
                $"Failed to bind to address {address}: the directory '{directory}' does not exist. Create it, and let " +
                "the process's user write there (with systemd: RuntimeDirectory=).");
        }

        var file = new FileInfo(path);
        if (Directory.Exists(path))
        {
            throw new IOException($"Failed to bind to address {address}: '{path}' is a directory.");
        }

        if (!file.Exists)
        {
            return;
        }

        if (!FileIdentity.IsSocket(path))
        {
            throw new IOException(
                $"Failed to bind to address {address}: '{path}' exists and is not a socket. Nothing was deleted.");
        }

        if (IsAnswered(path))
        {
            throw new IOException(
                $"Failed to bind to address {address}: address already in use. Another process serves this socket.",
                new SocketException((int)SocketError.AddressAlreadyInUse));
        }

        file.Delete();
    }

    public void Secure(UnixFileMode? mode, string? owner, string? group)
    {
        if (owner is not null || group is not null)
        {
            FileOwner.Change(_path, owner, group);
        }

        if (mode is { } wanted && !OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(_path, wanted);
        }
    }

    public void DeleteIfOurs()
    {
        try
        {
            if (FileIdentity.Of(_path) == _identity)
            {
                File.Delete(_path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Somebody else has it, or it has gone: in both cases it is not ours to delete.
        }
    }

    private static bool IsAnswered(string path)
    {
        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            probe.Blocking = false;
            probe.Connect(new UnixDomainSocketEndPoint(path));
            return true;
        }
        catch (SocketException exception)
        {
            // Refused: nobody listens. Anything else, a full queue above all, is somebody.
            return exception.SocketErrorCode is not SocketError.ConnectionRefused;
        }
    }
}
