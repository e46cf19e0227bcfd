namespace FastCgi.WebServerTests.Machines;

/// <summary>
/// The configurations as they stand in docs/instances.md. The test network has the documented addresses, so only the
/// sockets of web server and administrator are replaced.
/// </summary>
internal static class ScalingPage
{
    private const string AdminSocket = "/run/haproxy/admin.sock";

    private static readonly string _page = Path.Combine(Repository.Root, "docs", "instances.md");

    public static string Nginx(string socket) => Assert.Single(MarkdownBlocks.Read(_page, "nginx", "Machines behind nginx"))
        .Replace("listen 80;", $"listen unix:{socket};", StringComparison.Ordinal)
        .Replace("include fastcgi_params", "include /etc/nginx/fastcgi_params", StringComparison.Ordinal);

    public static string Haproxy(string socket) => Assert.Single(MarkdownBlocks.Read(_page, "haproxy", "Machines behind HAProxy"))
        .Replace("bind :80", $"bind unix@{socket}", StringComparison.Ordinal)
        .Replace(AdminSocket, AdminSocketBeside(socket), StringComparison.Ordinal);

    /// <summary>The page gives this command to the administrator.</summary>
    public static bool Names(string command) =>
        File.ReadAllText(_page).Contains($"echo \"{command}\"", StringComparison.Ordinal);

    private static string AdminSocketBeside(string socket) => Path.Combine(Path.GetDirectoryName(socket)!, "admin.sock");
}
