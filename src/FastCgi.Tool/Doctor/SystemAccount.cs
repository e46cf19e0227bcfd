using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.Tool.Doctor;

/// <summary>A user of the system with its groups, and its rights to files.</summary>
[SupportedOSPlatform("linux")]
internal sealed partial class SystemAccount
{
    private const UnixFileMode UserShift = (UnixFileMode)0b001_000_000;
    private const UnixFileMode GroupShift = (UnixFileMode)0b000_001_000;

    /// <summary>Answers by path and right, because many sockets have the same folders.</summary>
    private readonly Dictionary<(string Path, UnixFileMode Bit), bool> _access = [];

    private readonly int _user;
    private readonly HashSet<int> _groups;

    private SystemAccount(int user, HashSet<int> groups) =>
        (_user, _groups) = (user, groups);

    /// <param name="name">The name of the user.</param>
    /// <param name="group">The user's group; null or empty for the group with the user's name, as in nginx.</param>
    /// <returns>Null if this machine has no such user.</returns>
    public static SystemAccount? Find(string name, string? group)
    {
        string[]? user = Lines("/etc/passwd").FirstOrDefault(line => line[0] == name);
        if (user is null)
        {
            return null;
        }

        string main = string.IsNullOrEmpty(group) ? name : group;
        IEnumerable<int> groups = Lines("/etc/group")
            .Where(line => line[0] == main || line[3].Split(',').Contains(name))
            .Select(static line => Number(line[2]));
        return new SystemAccount(Number(user[2]), [.. groups]);
    }

    /// <summary>
    /// The obstacle to connecting to a socket file; null if there is none, or the file is not visible.
    /// </summary>
    public string? FindObstacle(string socket)
    {
        if (_user == 0)
        {
            return null;
        }

        for (
            string? directory = Path.GetDirectoryName(socket); directory is not null; directory = Path.GetDirectoryName(
                directory))
        {
            if (Directory.Exists(directory) && !May(directory, (UnixFileMode)0b001))
            {
                return $"may not enter {directory} ({Describe(directory)})";
            }
        }

        return File.Exists(socket) && !May(socket, (UnixFileMode)0b010)
            ? $"may not write to {socket} ({Describe(socket)})"
            : null;
    }

    private bool May(string path, UnixFileMode bit)
    {
        if (!_access.TryGetValue((path, bit), out bool may))
        {
            may = Read(path, bit);
            _access.Add((path, bit), may);
        }

        return may;
    }

    private bool Read(string path, UnixFileMode bit)
    {
        if (ReadOwner(path) is not ({ } owner, { } group, _) || (owner != _user && HasAccessList(path)))
        {
            return true;
        }

        UnixFileMode mode = File.GetUnixFileMode(path);
        int shift = owner == _user ? (int)UserShift : _groups.Contains(group) ? (int)GroupShift : 1;
        return ((int)mode & ((int)bit * shift)) != 0;
    }

    /// <summary>An access list (setfacl) may allow more users than the mode shows.</summary>
    private static bool HasAccessList(string path) => ReadAttribute(path, "system.posix_acl_access", 0, 0) > 0;

    [LibraryImport("libc", EntryPoint = "getxattr", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial nint ReadAttribute(string path, string name, nint value, nuint size);

    private static string Describe(string path)
    {
        string mode = Convert.ToString((int)File.GetUnixFileMode(path), 8).PadLeft(4, '0');
        return ReadOwner(path) is { } owner ? $"{owner.Names}, mode {mode}" : $"mode {mode}";
    }

    /// <summary>.NET cannot read the owner of a file, but every Linux has stat.</summary>
    private static (int? Owner, int? Group, string Names)? ReadOwner(string path)
    {
        using var stat = Process.Start(new ProcessStartInfo("stat", ["-L", "-c", "%u %g %U:%G", path])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        });
        string[] words = stat!.StandardOutput.ReadToEnd().Split(' ', StringSplitOptions.TrimEntries);
        stat.WaitForExit();
        return words.Length == 3 ? (Number(words[0]), Number(words[1]), words[2]) : null;
    }

    private static IEnumerable<string[]> Lines(string file) => File.Exists(file)
        ? File.ReadLines(file).Select(static line => line.Split(':')).Where(static line => line.Length > 3)
        : [];

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
