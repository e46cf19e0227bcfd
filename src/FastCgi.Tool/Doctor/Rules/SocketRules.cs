namespace FastCgi.Tool.Doctor.Rules;

/// <summary>A socket file that nginx's worker processes cannot open.</summary>
internal static class SocketRules
{
    private const string UnixPrefix = "unix:";
    private const string DefaultUser = "nobody";

    /// <summary>True if the address is a missing socket file; false if that is unknown.</summary>
    public static bool IsMissing(string address)
    {
        string path = address.StartsWith(UnixPrefix, StringComparison.Ordinal) ? address[UnixPrefix.Length..] : "";
        if (!path.StartsWith('/') || OperatingSystem.IsWindows() || File.Exists(path))
        {
            return false;
        }

        // A folder that the user may not enter hides its files.
        string? folder = Path.GetDirectoryName(path);
        while (folder is not null && !Directory.Exists(folder))
        {
            folder = Path.GetDirectoryName(folder);
        }

        try
        {
            _ = folder is null || Directory.EnumerateFileSystemEntries(folder).Any();
            return true;
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException)
        {
            return false;
        }
    }

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (!OperatingSystem.IsLinux())
        {
            yield break;
        }

        // A fragment of a configuration does not contain nginx's user.
        NginxDirective? user = point.Scope.Root.Block.All("user").LastOrDefault();
        if (user is null && !point.Scope.Root.Block.All("events").Any())
        {
            yield break;
        }

        string name = user?.Argument(0) ?? DefaultUser;
        if (context.Account(name, user?.Argument(1)) is not { } account)
        {
            yield break;
        }

        foreach ((string address, NginxPlace place) in point.Addresses)
        {
            if (address.StartsWith(UnixPrefix, StringComparison.Ordinal)
                && account.FindObstacle(address[UnixPrefix.Length..]) is { } obstacle)
            {
                yield return new Finding(
                    "socket-access",
                    place,
                    $"nginx runs as {name}, which {obstacle}: every request is a 502.",
                    $"Give the socket the group of {name} and the mode 0660 (UnixGroup and UnixMode of the " +
                    "endpoint), and let that group enter the directory.");
            }
        }
    }
}
