using System.Diagnostics;

namespace FastCgi.Benchmarks.Processes;

/// <summary>Programs of this machine.</summary>
internal static class InstalledProgram
{
    // Where daemons are, which is not on every user's path.
    private static readonly string[] s_folders =
        [.. (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':'), "/usr/local/sbin", "/usr/sbin"];

    /// <summary>The first program whose name matches the pattern; null when there is none.</summary>
    public static string? Find(string pattern) => s_folders
        .Where(Directory.Exists)
        .SelectMany(folder => Directory.EnumerateFiles(folder, pattern))
        .Order(StringComparer.Ordinal)
        .FirstOrDefault();

    /// <summary>A program that nothing goes without.</summary>
    /// <param name="package">What it comes with on Debian.</param>
    /// <exception cref="InvalidOperationException">It is not there; the message says how to get it.</exception>
    public static string Require(string name, string package) =>
        Find(name) ?? throw new InvalidOperationException(IsMissing(name, package));

    /// <summary>Says that something is not there, and how to get it.</summary>
    /// <param name="package">What it comes with on Debian.</param>
    public static string IsMissing(string what, string package) =>
        $"{what} is not installed; on Debian: sudo apt-get install {package}";

    /// <summary>Runs a program to its end.</summary>
    /// <returns>Its exit code, and all that it wrote.</returns>
    public static async Task<(int ExitCode, string Output)> RunAsync(ProcessCommand command, string? directory = null)
    {
        using var process = Process.Start(new ProcessStartInfo(command.Program, command.Arguments)
        {
            WorkingDirectory = directory ?? "",
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        AppDomain.CurrentDomain.ProcessExit += KillAtExit;
        process.StandardInput.Close();
        var error = process.StandardError.ReadToEndAsync();
        string output = await process.StandardOutput.ReadToEndAsync() + await error;
        await process.WaitForExitAsync();
        AppDomain.CurrentDomain.ProcessExit -= KillAtExit;
        return (process.ExitCode, output.Trim());

        // A load that goes on after an interrupted run would be in the next one's figures.
        void KillAtExit(object? sender, EventArgs e) => process.Kill();
    }

    /// <summary>The same in a session of its own, so that the kernel schedules it apart from who started it.</summary>
    public static Task<(int ExitCode, string Output)> RunInSessionAsync(ProcessCommand command) =>
        RunAsync(new ProcessCommand("setsid", ["--wait", command.Program, .. command.Arguments]));

    /// <summary>The first line of what a program says about itself; "unknown" when it says nothing.</summary>
    public static async Task<string> VersionAsync(string program, string argument)
    {
        var (_, output) = await RunAsync(new ProcessCommand(program, argument));
        string line = output.Split('\n')[0].Trim();
        return line.Length > 0 ? line : "unknown";
    }
}
