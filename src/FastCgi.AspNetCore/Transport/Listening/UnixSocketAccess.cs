using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Mode, owner and group of a socket file, by name or number.</summary>
internal static partial class UnixSocketAccess
{
    private const uint Unchanged = uint.MaxValue;
    private const int EPerm = 1;
    private const int ERange = 34;

    /// <summary>Room for struct passwd and struct group, of which only a number behind two pointers is read.</summary>
    private const int EntrySize = 128;
    private const int LargestNamesBuffer = 1 << 20;

    public static void Apply(string path, ListenTarget target)
    {
        try
        {
            if (target.UnixMode is { } mode && !OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(path, mode);
            }
        }
        catch (UnauthorizedAccessException exception)
        {
            throw new IOException(
                $"The mode of the unix socket {path} could not be set: {exception.Message}", exception);
        }

        if (target.UnixOwner is null && target.UnixGroup is null)
        {
            return;
        }

        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                $"The owner and group of the unix socket {path} can be set on Linux only.");
        }

        SetOwner(path, target.UnixOwner, target.UnixGroup);
    }

    /// <summary>
    /// Whether the file has the mode, the owner and the group of the target, as far as it names them. False where the
    /// system does not tell.
    /// </summary>
    public static bool IsAsAsked(string path, ListenTarget target) =>
        OperatingSystem.IsLinux()
        && SocketFileStatus.TryRead(path) is { } found
        && found.Mode == (target.UnixMode ?? found.Mode)
        && (target.UnixOwner is not { } owner || found.User == NumberOf(owner, "user", path, ofGroup: false))
        && (target.UnixGroup is not { } group || found.Group == NumberOf(group, "group", path, ofGroup: true));

    [SupportedOSPlatform("linux")]
    private static void SetOwner(string path, string? owner, string? group)
    {
        uint user = owner is null ? Unchanged : NumberOf(owner, "user", path, ofGroup: false);
        uint groupId = group is null ? Unchanged : NumberOf(group, "group", path, ofGroup: true);
        if (ChangeOwner(path, user, groupId) == 0)
        {
            return;
        }

        int error = Marshal.GetLastPInvokeError();
        string wanted = $"{owner}:{group}";
        throw new IOException(error == EPerm
            ? $"The unix socket {path} could not be given to {wanted}: the process may not. Only root gives files to " +
              "another user, and a group must be one of the process's own: add the process's user to that group, or " +
              "leave the owner alone."
            : $"The unix socket {path} could not be given to {wanted}: {Marshal.GetPInvokeErrorMessage(error)}.");
    }

    /// <summary>A number stands for itself; a name is looked up.</summary>
    [SupportedOSPlatform("linux")]
    private static unsafe uint NumberOf(string name, string kind, string path, bool ofGroup)
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

        throw new IOException($"There is no {kind} \"{name}\" to give the unix socket {path} to.");
    }

    [LibraryImport("libc", EntryPoint = "chown", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, uint owner, uint group);

    [LibraryImport("libc", EntryPoint = "getpwnam_r", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int FindUser(string name, byte* entry, byte* buffer, nuint size, out nint found);

    [LibraryImport("libc", EntryPoint = "getgrnam_r", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int FindGroup(string name, byte* entry, byte* buffer, nuint size, out nint found);
}
