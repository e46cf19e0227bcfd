using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>A socket file that nginx's worker processes may not open.</summary>
internal static class SocketRules
{
    private const string UnixPrefix = "unix:";
    private const string DefaultUser = "nobody";

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (!OperatingSystem.IsLinux())
        {
            yield break;
        }

        // A fragment of a configuration does not say as whom nginx runs.
        NginxDirective? user = point.Scope.Root.Block.All("user").LastOrDefault();
        if (user is null && !point.Scope.Root.Block.All("events").Any())
        {
            yield break;
        }

        string name = user?.Argument(0) ?? DefaultUser;
        if (SystemAccount.Find(name, user?.Argument(1)) is not { } account)
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
