using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Which file a path leads to, beyond its name: device and inode, and whether it is a socket.</summary>
internal readonly record struct SocketFileIdentity(ulong Device, ulong Inode, bool IsSocket)
{
    /// <summary>Null: there is no such file, or the system has no statx (it is Linux's).</summary>
    public static SocketFileIdentity? TryRead(string path) => Of(SocketFileStatus.TryRead(path));

    public static SocketFileIdentity? Of(SocketFileStatus? status) =>
        status is { } known ? new SocketFileIdentity(known.Device, known.Inode, known.IsSocket) : null;

    /// <summary>Of an open file, whatever has its name by now. Null: the system has no statx.</summary>
    public static SocketFileIdentity? TryRead(SafeFileHandle file) => Of(SocketFileStatus.TryRead(file));
}
