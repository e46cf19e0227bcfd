using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

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
    private const int AtEmptyPath = 0x1000;
    private const uint StatxBasicStats = 0x7ff;
    private const int FileTypeMask = 0xf000;
    private const int FileTypeSocket = 0xc000;

    /// <summary>Null: there is no such file, or the system has no statx (it is Linux's).</summary>
    public static SocketFileIdentity? TryRead(string path) =>
        OperatingSystem.IsLinux() ? TryRead(AtCurrentDirectory, path, AtSymlinkNoFollow) : null;

    /// <summary>Of an open file, whatever has its name by now. Null: the system has no statx.</summary>
    public static SocketFileIdentity? TryRead(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        bool isOurs = false;
        try
        {
            file.DangerousAddRef(ref isOurs);
            return TryRead((int)file.DangerousGetHandle(), "", AtEmptyPath);
        }
        finally
        {
            if (isOurs)
            {
                file.DangerousRelease();
            }
        }
    }

    private static unsafe SocketFileIdentity? TryRead(int directory, string path, int flags)
    {
        byte* found = stackalloc byte[SizeOfStatx];
        if (Statx(directory, path, flags, StatxBasicStats, found) != 0)
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
