namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The system's report on a file: its identity (device and inode), and its access rights.</summary>
internal readonly partial record struct SocketFileStatus(
    ulong Device, ulong Inode, UnixFileMode Mode, uint User, uint Group)
{
    public const int EmptyPath = 0x1000;

    private const int CurrentDirectory = -100;
    private const int SymlinkNoFollow = 0x100;

    // struct statx, the same on every architecture:
    //   16 stx_nlink (4)   20 stx_uid (4)   24 stx_gid (4)   28 stx_mode (2)   32 stx_ino (8)
    //   136 stx_dev_major (4)   140 stx_dev_minor (4)   256 bytes in all
    private const int SizeOfStatx = 256;
    private const int LinksOffset = 16;
    private const int UserOffset = 20;
    private const int GroupOffset = 24;
    private const int ModeOffset = 28;
    private const int InodeOffset = 32;
    private const int DeviceOffset = 136;

    private const uint StatxBasicStats = 0x7ff;
    private const int PermissionMask = 0x1ff;
    private const int FileTypeMask = 0xf000;
    private const int FileTypeSocket = 0xc000;

    public uint Links { get; private init; }

    public bool IsSocket { get; private init; }

    /// <summary>True if both describe one file, or none. Compares the kind too: inode numbers are reused.</summary>
    public static bool AreOfOneFile(SocketFileStatus? first, SocketFileStatus? second) =>
        first?.Device == second?.Device
        && first?.Inode == second?.Inode
        && first?.IsSocket == second?.IsSocket;

    /// <summary>Null if there is no such file, or the system has no statx (only Linux has it).</summary>
    public static unsafe SocketFileStatus? TryRead(string path)
    {
        byte* found = stackalloc byte[SizeOfStatx];
        return OperatingSystem.IsLinux()
            && Statx(CurrentDirectory, path, SymlinkNoFollow, StatxBasicStats, found) == 0 ? From(found) : null;
    }

    /// <summary>The status of an open file or socket, even if it was renamed. Null without statx.</summary>
    public static unsafe SocketFileStatus? TryRead(SafeHandle file)
    {
        byte* found = stackalloc byte[SizeOfStatx];
        return OperatingSystem.IsLinux()
            && Statx(file, "", EmptyPath, StatxBasicStats, found) == 0 ? From(found) : null;
    }

    /// <summary>Fills in the access rights that are left open.</summary>
    public SocketAccess Complete(SocketAccess access) => new(
        access.Mode ?? Mode,
        access.Owner ?? User.ToString(CultureInfo.InvariantCulture),
        access.Group ?? Group.ToString(CultureInfo.InvariantCulture));

    private static unsafe SocketFileStatus From(byte* found)
    {
        ushort mode = *(ushort*)(found + ModeOffset);
        return new SocketFileStatus(
            *(ulong*)(found + DeviceOffset),
            *(ulong*)(found + InodeOffset),
            (UnixFileMode)(mode & PermissionMask),
            *(uint*)(found + UserOffset),
            *(uint*)(found + GroupOffset))
        {
            Links = *(uint*)(found + LinksOffset),
            IsSocket = (mode & FileTypeMask) == FileTypeSocket,
        };
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int directory, string path, int flags, uint mask, byte* result);

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(SafeHandle file, string path, int flags, uint mask, byte* result);
}
