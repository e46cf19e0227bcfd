namespace FastCgi.SampleTests;

/// <summary>The samples as programs of their own, in the environment that a deployed one has.</summary>
internal static partial class SampleProgram
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    /// <summary>Starts a sample, which may end at its start.</summary>
    /// <param name="arguments">The program's; its address is among them.</param>
    public static ChildProcess Launch(string name, params IEnumerable<string> arguments) =>
        ChildProcess.Start("dotnet", [FileOf(name), .. arguments], FolderOf(name));

    /// <summary>Waits until a sample ends by itself.</summary>
    public static Task<int> EndAsync(this ChildProcess sample) => sample.WaitAsync("the end of the sample", s_deadline);

    /// <summary>A sample on a unix socket, and an nginx configured by the file that lies beside it.</summary>
    /// <param name="scheme">What the sample speaks on its socket.</param>
    /// <param name="arguments">The program's, without its address.</param>
    public static Task<ProcessSite> StartBehindNginxAsync(
        string name, string nginxFile = "nginx.conf", string scheme = "fastcgi", params string[] arguments)
    {
        var site = File.ReadAllText(Path.Combine(FolderOf(name), nginxFile));
        return ProcessSite.StartAsync(
            socket => Launch(name, [.. arguments, "--urls", $"{scheme}://unix:{socket}"]),
            socket => WebServerProgram.Nginx.StartAsync(endPoint => Addressed(site, socket, endPoint)));
    }

    public static string FileOf(string name) => Path.Combine(AppContext.BaseDirectory, $"{name}.dll");

    public static string FolderOf(string name) => Path.Combine(Repository.Root, "samples", name);

    /// <summary>What an administrator changes in the file, and nothing else.</summary>
    private static string Addressed(string text, string socket, IPEndPoint endPoint)
    {
        text = Server().Replace(text, $"server unix:{socket};", 1);
        text = Listen().Replace(text, $"listen {endPoint};", 1);
        return Parameters().Replace(text, "include /etc/nginx/$1;", 1);
    }

    [GeneratedRegex("(?<=^ +)server (?:unix:|127)[^;\n]*;", RegexOptions.Multiline)]
    private static partial Regex Server();

    [GeneratedRegex("(?<=^ +)listen [^;\n]*;", RegexOptions.Multiline)]
    private static partial Regex Listen();

    [GeneratedRegex("(?<=^ +)include ((?:fastcgi|scgi)_params);", RegexOptions.Multiline)]
    private static partial Regex Parameters();
}
