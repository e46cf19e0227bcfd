using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// Which file a path names: device and inode on Linux. Elsewhere the time of its creation has to do, which is
/// enough to tell a file from the one that replaced it.
/// </summary>
internal readonly partial record struct FileIdentity(ulong Device, ulong Inode)
{
    private const int CurrentDirectory = -100;
    private const int NoFollow = 0x100;
    private const uint WantModeAndInode = 0x001 | 0x100;
    private const int SocketType = 0xC000;
    private const int TypeMask = 0xF000;

    // struct statx (statx(2)) is the same on every architecture: mode at 28, inode at 32, device numbers at 136.
    private const int StatSize = 256;
    private const int ModeOffset = 28;
    private const int InodeOffset = 32;
    private const int DeviceOffset = 136;

    /// <exception cref="IOException">There is no such file.</exception>
    public static FileIdentity Of(string path)
    {
        if (OperatingSystem.IsLinux())
        {
            Span<byte> stat = stackalloc byte[StatSize];
            Stat(path, stat);
            return new FileIdentity(
                MemoryMarshal.Read<ulong>(stat[DeviceOffset..]), MemoryMarshal.Read<ulong>(stat[InodeOffset..]));
        }

        return File.Exists(path)
            ? new FileIdentity(0, (ulong)File.GetCreationTimeUtc(path).Ticks)
            : throw new FileNotFoundException(null, path);
    }

    public static bool IsSocket(string path)
    {
        if (OperatingSystem.IsLinux())
        {
            Span<byte> stat = stackalloc byte[StatSize];
            Stat(path, stat);
            return (MemoryMarshal.Read<ushort>(stat[ModeOffset..]) & TypeMask) == SocketType;
        }

        // Neither a regular file with content nor a directory; the probe by a connect says the rest.
        return new FileInfo(path).Length == 0;
    }

    private static unsafe void Stat(string path, Span<byte> stat)
    {
        fixed (byte* buffer = stat)
        {
            if (StatX(CurrentDirectory, path, NoFollow, WantModeAndInode, buffer) != 0)
            {
                throw new FileNotFoundException(Marshal.GetLastPInvokeErrorMessage(), path);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int StatX(int directory, string path, int flags, uint mask, byte* buffer);
}
