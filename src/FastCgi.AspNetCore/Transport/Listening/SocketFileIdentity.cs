using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Which file a path leads to, beyond its name: device and inode, and whether it is a socket.</summary>
internal readonly partial record struct SocketFileIdentity(ulong Device, ulong Inode, bool IsSocket)
{
    // struct statx, the same on every architecture:
    //   28 stx_mode (2)   32 stx_ino (8)   136 stx_dev_major (4)   140 stx_dev_minor (4)   256 bytes in all
    private const int SizeOfStatx = 256;
    private const int ModeOffset = 28;
    private const int InodeOffset = 32;
    private const int DeviceOffset = 136;

    private const int AtCurrentDirectory = -100;
    private const int AtSymlinkNoFollow = 0x100;
    private const uint StatxBasicStats = 0x7ff;
    private const int FileTypeMask = 0xf000;
    private const int FileTypeSocket = 0xc000;

    /// <summary>Null: there is no such file, or the system has no statx (it is Linux's).</summary>
    public static unsafe SocketFileIdentity? TryRead(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        byte* found = stackalloc byte[SizeOfStatx];
        if (Statx(AtCurrentDirectory, path, AtSymlinkNoFollow, StatxBasicStats, found) != 0)
        {
            return null;
        }

        return new SocketFileIdentity(
            *(ulong*)(found + DeviceOffset),
            *(ulong*)(found + InodeOffset),
            (*(ushort*)(found + ModeOffset) & FileTypeMask) == FileTypeSocket);
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int directory, string path, int flags, uint mask, byte* result);
}
