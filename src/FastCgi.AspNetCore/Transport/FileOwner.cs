using System.Globalization;
using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Transport;

/// <summary>Gives a file to another user and group (chown(2)), by name or by number.</summary>
internal static partial class FileOwner
{
    private const uint Unchanged = uint.MaxValue;
    private const int NotPermitted = 1;

    // struct passwd and struct group both begin with two pointers; then come the numbers.
    private static readonly int s_idOffset = IntPtr.Size * 2;

    private static readonly Lock s_lock = new();

    public static void Change(string path, string? owner, string? group)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                "UnixOwner and UnixGroup of a socket can be set on Linux only. Leave them out, and use UnixMode.");
        }

        uint user = owner is null ? Unchanged : Find(owner, "user", GetUser);
        uint members = group is null ? Unchanged : Find(group, "group", GetGroup);
        if (ChangeOwner(path, user, members) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            string advice = error == NotPermitted
                ? " Only root may give files away; any user may give them to a group that it is in. " +
                  "Run the process with that group (with systemd: Group=), or let systemd make the socket."
                : "";
            throw new IOException(
                $"The socket '{path}' could not be given to owner '{owner ?? "(unchanged)"}', group " +
                $"'{group ?? "(unchanged)"}': {Marshal.GetPInvokeErrorMessage(error)}.{advice}");
        }
    }

    private static uint Find(string name, string kind, Func<string, nint> find)
    {
        if (uint.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out uint number))
        {
            return number;
        }

        // The answer lies in memory that the next call overwrites.
        lock (s_lock)
        {
            nint entry = find(name);
            return entry != 0
                ? (uint)Marshal.ReadInt32(entry, s_idOffset)
                : throw new InvalidOperationException($"There is no {kind} '{name}' on this system.");
        }
    }

    [LibraryImport("libc", EntryPoint = "chown", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, uint owner, uint group);

    [LibraryImport("libc", EntryPoint = "getpwnam", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetUser(string name);

    [LibraryImport("libc", EntryPoint = "getgrnam", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetGroup(string name);
}
