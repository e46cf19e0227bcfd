namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>
/// Opens what is at a path itself: a symbolic link at its end is never followed, so a process that may write to the
/// folder leads this one to no other file.
/// </summary>
[SupportedOSPlatform("linux")]
internal static partial class UnfollowedFile
{
    // fcntl.h of Linux. The last is one of two, by the processor.
    private const int ReadWrite = 2;
    private const int Create = 0x40;
    private const int CloseOnExec = 0x80000;
    private const int PathOnly = 0x200000;
    private const int NoFollow = 0x20000;
    private const int NoFollowOnArmAndPower = 0x8000;

    private const uint OwnerOnly = 0b110_000_000;
    private const int ExclusiveWithoutWait = 2 | 4;

    /// <summary>A handle that names a file of any kind and opens nothing; invalid, with the error set.</summary>
    public static SafeFileHandle OpenPath(string path) => Open(path, PathOnly);

    /// <summary>The locked file, made with mode 0600 if there is none; null: another process holds the lock.</summary>
    /// <exception cref="IOException">
    /// It cannot be opened. HResult is the error of the system, ELOOP for a symbolic link.
    /// </exception>
    public static SafeFileHandle? OpenLocked(string path)
    {
        SafeFileHandle file = Open(path, ReadWrite | Create);
        if (file.IsInvalid)
        {
            int error = Marshal.GetLastPInvokeError();
            file.Dispose();
            throw new IOException(Marshal.GetPInvokeErrorMessage(error), error);
        }

        // A file system without locks takes none, and says so by another error.
        if (Lock(file, ExclusiveWithoutWait) != 0 && Marshal.GetLastPInvokeError() == ErrorNumber.WouldBlock)
        {
            file.Dispose();
            return null;
        }

        return file;
    }

    private static SafeFileHandle Open(string path, int flags)
    {
        int noFollow = RuntimeInformation.ProcessArchitecture
            is Architecture.Arm or Architecture.Arm64 or Architecture.Armv6 or Architecture.Ppc64le
            ? NoFollowOnArmAndPower
            : NoFollow;
        return new SafeFileHandle(Open(path, flags | noFollow | CloseOnExec, OwnerOnly), ownsHandle: true);
    }

    // With a mode of variable arguments in C: the same registers on all processors that .NET runs on with Linux.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int Lock(SafeFileHandle file, int operation);
}
