using System.Diagnostics;
using System.Runtime.InteropServices;

namespace FastCgi.WebServerKit;

/// <summary>A process that ends with the test, or with the test run when that is interrupted.</summary>
internal sealed partial class ChildProcess : IAsyncDisposable
{
    private const int SignalHangUp = 1;
    private const int SignalInterrupt = 2;
    private const int SignalTerminate = 15;
    private const int SignalContinue = 18;
    private const int SignalStop = 19;

    private readonly Process _process;

    private ChildProcess(Process process) => _process = process;

    /// <summary>Standard error, and standard output as well.</summary>
    public ErrorLog Log { get; } = new();

    public int Id => _process.Id;

    /// <summary>Completes when the process has ended, however it came to that.</summary>
    public Task Ended { get; private set; } = Task.CompletedTask;

    public static ChildProcess Start(
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null)
    {
        var process = new Process
        {
            StartInfo = new ProcessStartInfo(program, arguments)
            {
                WorkingDirectory = directory,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
        {
            process.StartInfo.Environment[name] = value;
        }

        var child = new ChildProcess(process);
        FailureReportAttribute.Add($"The log of {Path.GetFileName(program)}", child.Log.ToString);
        process.OutputDataReceived += child.Keep;
        process.ErrorDataReceived += child.Keep;
        process.Start();
        AppDomain.CurrentDomain.ProcessExit += child.KillAtExit;
        process.StandardInput.Close();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        child.Ended = process.WaitForExitAsync();
        return child;
    }

    /// <summary>Runs a program to its end.</summary>
    public static async Task<(int ExitCode, ErrorLog Log)> RunAsync(
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null,
        TimeSpan? deadline = null)
    {
        await using var process = Start(program, arguments, directory, environment);
        return (await process.WaitAsync($"the end of {Path.GetFileName(program)}", deadline), process.Log);
    }

    /// <summary>Runs a program to its end, which has to be a good one.</summary>
    public static async Task<ErrorLog> SucceedAsync(
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null,
        TimeSpan? deadline = null)
    {
        var (exitCode, log) = await RunAsync(program, arguments, directory, environment, deadline);
        Assert.True(exitCode == 0, $"{program} {string.Join(' ', arguments)}: {exitCode}\n{log}");
        return log;
    }

    public async Task<int> WaitAsync(string awaited, TimeSpan? deadline = null)
    {
        await Ended.Within(awaited, Log.ToString, deadline);
        return _process.ExitCode;
    }

    /// <summary>Waits until a process says that it has started; one that ends instead fails the test.</summary>
    /// <param name="name">Of the program, for the message of a failure.</param>
    /// <param name="deadline">Null for the usual one.</param>
    /// <param name="message">A part of the line that says it: that of an ASP.NET Core application.</param>
    public async Task WaitForStartAsync(string name, TimeSpan? deadline = null, string message = "Application started")
    {
        var started = Log.FirstAsync(line => line.Contains(message, StringComparison.Ordinal));
        await Task.WhenAny(started, Ended).Within($"the start of {name}", Log.ToString, deadline);
        Assert.True(started.IsCompleted, $"{name} ended at its start: {Log}");
    }

    /// <summary>Asks the process to end, as a service manager does.</summary>
    public Task<int> StopAsync()
    {
        if (!_process.HasExited)
        {
            _ = Signal(_process.Id, SignalTerminate);
        }

        return WaitAsync("the end of a process that was asked to end");
    }

    /// <summary>Sends SIGINT, as Ctrl+C does.</summary>
    public void Interrupt() => Assert.Equal(0, Signal(_process.Id, SignalInterrupt));

    /// <summary>Sends SIGHUP: many a server reads its configuration again.</summary>
    public void HangUp() => Assert.Equal(0, Signal(_process.Id, SignalHangUp));

    /// <summary>Holds a process still until the result is disposed, like one that waits for a processor.</summary>
    public static IDisposable Hold(int processId)
    {
        Assert.Equal(0, Signal(processId, SignalStop));
        return new HeldProcess(processId);
    }

    /// <summary>Ends the process at once, by SIGKILL: it learns nothing of it.</summary>
    public Task KillAsync()
    {
        _process.Kill();
        return Ended.Within("the end of a killed process");
    }

    /// <summary>Ends the process; insists when it has not ended by the deadline.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await StopAsync();
        }
        finally
        {
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
                await Ended.Within("the end of a killed process");
            }

            AppDomain.CurrentDomain.ProcessExit -= KillAtExit;
            _process.Dispose();
        }
    }

    private void Keep(object sender, DataReceivedEventArgs line)
    {
        if (line.Data is not null)
        {
            Log.Add(line.Data);
        }
    }

    private void KillAtExit(object? sender, EventArgs e) => _process.Kill(entireProcessTree: true);

    private sealed class HeldProcess(int processId) : IDisposable
    {
        public void Dispose() => Assert.Equal(0, Signal(processId, SignalContinue));
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Signal(int processId, int signal);
}
