using System.Collections;
using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.Tool.Running;

/// <summary>
/// Replaces this process with another program. Its id stays the same, so that systemd's sockets, notifications and
/// signals reach that program.
/// </summary>
internal static partial class ProgramReplacement
{
    /// <param name="program">The full path.</param>
    /// <param name="arguments">The arguments without the program's name.</param>
    /// <param name="variables">Variables in addition to those of this process.</param>
    /// <returns>The exit code of the program on Windows. On other systems it does not return.</returns>
    public static int Run(
        string program, IReadOnlyList<string> arguments, IReadOnlyDictionary<string, string> variables)
    {
        if (OperatingSystem.IsWindows())
        {
            return RunBeside(program, arguments, variables);
        }

        Become(program, arguments, variables);
        return 0;
    }

    private static int RunBeside(
        string program, IReadOnlyList<string> arguments, IReadOnlyDictionary<string, string> variables)
    {
        var start = new ProcessStartInfo(program, arguments) { UseShellExecute = false };
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        process.WaitForExit();
        return process.ExitCode;
    }

    [UnsupportedOSPlatform("windows")]
    private static void Become(
        string program, IReadOnlyList<string> arguments, IReadOnlyDictionary<string, string> variables)
    {
        var environment = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (DictionaryEntry entry in Environment.GetEnvironmentVariables())
        {
            environment[(string)entry.Key] = (string?)entry.Value ?? "";
        }

        foreach ((string name, string value) in variables)
        {
            environment[name] = value;
        }

        // Both lists end with a null.
        string?[] names = [program, .. arguments, null];
        string?[] pairs = [.. environment.Select(static pair => $"{pair.Key}={pair.Value}"), null];
        _ = Execute(program, names, pairs);
        throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Execute(string program, string?[] arguments, string?[] environment);
}
