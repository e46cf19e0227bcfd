namespace FastCgi.AspNetCore.Transport.Listening;

// Mode, owner and group of the file, by name or number.
internal sealed partial class UnixSocketFile
{
    // fcntl.h of Linux. NoFollow has two values, depending on the processor.
    private const int ReadWrite = 2;
    private const int Create = 0x40;
    private const int CloseOnExec = 0x80000;
    private const int PathOnly = 0x200000;
    private const int NoFollow = 0x20000;
    private const int NoFollowOnArmAndPower = 0x8000;

    private const uint OwnerOnly = 0b110_000_000;
    private const uint Unchanged = uint.MaxValue;
    private const int EPerm = 1;
    private const int ERange = 34;

    /// <summary>Room for struct passwd and struct group. Only a number after two pointers is read.</summary>
    private const int EntrySize = 128;
    private const int LargestNamesBuffer = 1 << 20;

    /// <summary>
    /// Opens the file that a socket was bound to; null on systems other than Linux. Never opens another file, even if
    /// another process has replaced it.
    /// </summary>
    /// <exception cref="IOException">The path leads to another file or to none.</exception>
    public static SafeFileHandle? OpenBound(string path, Socket socket) =>
        !OperatingSystem.IsLinux()
            ? null
            : TryOpen(path, found => OperatingSystem.IsLinux() && IsFileOf(socket, found)) ?? throw new IOException(
                $"Failed to bind to address unix:{path}: another process removed the new socket, or put something " +
                "else in its place. Use a folder that only root and the user of this process can write to.");

    /// <summary>Opens the file at the path if it is the expected one; otherwise null.</summary>
    private static SafeFileHandle? TryOpen(string path, Func<SocketFileStatus, bool> isExpected)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        SafeFileHandle file = OpenUnfollowed(path, PathOnly);
        if (!file.IsInvalid && SocketFileStatus.TryRead(file) is { } found && isExpected(found))
        {
            return file;
        }

        file.Dispose();
        return null;
    }

    /// <summary>
    /// Gives the open file (null if not on Linux) the mode, owner and group. The socket may already listen: the old
    /// group never gets rights that are meant for the new one, and vice versa.
    /// </summary>
    public static void Apply(SafeFileHandle? file, string path, SocketAccess access)
    {
        if (access.Owner is null && access.Group is null)
        {
            SetMode(file, path, access.Mode);
            return;
        }

        if (!OperatingSystem.IsLinux() || file is null)
        {
            throw new PlatformNotSupportedException(
                $"The owner and group of the unix socket {path} can be set on Linux only.");
        }

        uint user = access.Owner is { } owner ? NumberOf(owner, path, ofGroup: false) : Unchanged;
        if (access.Group is { } name)
        {
            uint group = NumberOf(name, path, ofGroup: true);
            if (access.Mode is { } mode && SocketFileStatus.TryRead(file) is { } found)
            {
                SetMode(file, path, mode & found.Mode);
            }

            Give(file, path, Unchanged, group, access);
        }

        SetMode(file, path, access.Mode);
        if (user != Unchanged)
        {
            // Last: a process that may give away its files may be unable to change the mode of other users' files.
            Give(file, path, user, Unchanged, access);
        }
    }

    private static void Give(SafeFileHandle file, string path, uint user, uint group, SocketAccess access)
    {
        if (ChangeOwner(file, "", user, group, SocketFileStatus.EmptyPath) == 0)
        {
            return;
        }

        int error = Marshal.GetLastPInvokeError();
        string wanted = $"{access.Owner}:{access.Group}";
        throw new IOException(error == EPerm
            ? $"The unix socket {path} could not be given to {wanted}: the process may not. Only root gives a file " +
              "to another user, or to a group that the process is not in. Keep the process out of the web server's " +
              "group: let the folder give its group to the socket, for instance by 'install -d -o app -g www-data " +
              $"-m 2750 {Path.GetDirectoryName(path)}', or let systemd make the socket (SocketGroup=). In a unit, " +
              "SystemCallFilter= may forbid it too: add SystemCallFilter=@chown."
            : $"The unix socket {path} could not be given to {wanted}: {Marshal.GetPInvokeErrorMessage(error)}.");
    }

    private static void SetMode(SafeFileHandle? file, string path, UnixFileMode? wanted)
    {
        if (wanted is not { } mode)
        {
            return;
        }

        if (OperatingSystem.IsWindows())
        {
            throw new PlatformNotSupportedException($"The mode of the unix socket {path} cannot be set on Windows.");
        }

        if (file is null && new FileInfo(path).LinkTarget is not null)
        {
            throw new IOException(
                $"The mode of the unix socket {path} could not be set: there is a symbolic link in its place.");
        }

        try
        {
            // This path leads to the open file, even if its name has changed.
            File.SetUnixFileMode(file is null ? path : $"/proc/self/fd/{file.DangerousGetHandle()}", mode);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new IOException(
                $"The mode of the unix socket {path} could not be set: {exception.Message}", exception);
        }
    }

    /// <summary>True if the file has this mode, owner and group. False if this is unknown.</summary>
    public static bool IsAsAsked(string path, SocketAccess access) =>
        OperatingSystem.IsLinux()
        && SocketFileStatus.TryRead(path) is { } found
        && found.Mode == (access.Mode ?? found.Mode)
        && (access.Owner is not { } owner || found.User == NumberOf(owner, path, ofGroup: false))
        && (access.Group is not { } group || found.Group == NumberOf(group, path, ofGroup: true));

    /// <summary>
    /// Compares with the file that the socket was bound to, according to the kernel. If the kernel does not tell, a
    /// socket file of this user with a single name is accepted: it cannot be another user's.
    /// </summary>
    [SupportedOSPlatform("linux")]
    private static bool IsFileOf(Socket socket, SocketFileStatus found) =>
        found.IsSocket && (UnixSocketDiagnosis.ReadFileInode(socket) is { } inode
            ? inode == (uint)found.Inode
            : found.User == EffectiveUser() && found.Links == 1);

    /// <summary>
    /// Opens the file at the path, and never follows a symbolic link at its end: a process that may write to the folder
    /// cannot lead this one to another file. A new file has mode 0600. Invalid, with the error set, if that fails.
    /// </summary>
    [SupportedOSPlatform("linux")]
    private static SafeFileHandle OpenUnfollowed(string path, int flags)
    {
        int noFollow = RuntimeInformation.ProcessArchitecture
            is Architecture.Arm or Architecture.Arm64 or Architecture.Armv6 or Architecture.Ppc64le
            ? NoFollowOnArmAndPower
            : NoFollow;
        return new SafeFileHandle(Open(path, flags | noFollow | CloseOnExec, OwnerOnly), ownsHandle: true);
    }

    /// <summary>Returns a number as it is, and looks up a name.</summary>
    [SupportedOSPlatform("linux")]
    private static unsafe uint NumberOf(string name, string path, bool ofGroup)
    {
        if (uint.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out uint number))
        {
            return number;
        }

        byte* entry = stackalloc byte[EntrySize];
        int error = ERange;
        for (int size = 4096; error == ERange && size <= LargestNamesBuffer; size *= 4)
        {
            byte[] names = new byte[size];
            fixed (byte* buffer = names)
            {
                error = ofGroup
                    ? FindGroup(name, entry, buffer, (nuint)size, out nint found)
                    : FindUser(name, entry, buffer, (nuint)size, out found);
                if (error == 0 && found != 0)
                {
                    // { char* name; char* password; id number; ... } in both structures.
                    return *(uint*)(found + (2 * nint.Size));
                }
            }
        }

        throw new IOException(
            $"There is no {(ofGroup ? "group" : "user")} \"{name}\" to give the unix socket {path} to.");
    }

    // In C the mode is a variable argument. On all Linux processors of .NET it uses the same registers.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "fchownat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(SafeFileHandle file, string path, uint owner, uint group, int flags);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint EffectiveUser();

    [LibraryImport("libc", EntryPoint = "getpwnam_r", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int FindUser(string name, byte* entry, byte* buffer, nuint size, out nint found);

    [LibraryImport("libc", EntryPoint = "getgrnam_r", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int FindGroup(string name, byte* entry, byte* buffer, nuint size, out nint found);
}
