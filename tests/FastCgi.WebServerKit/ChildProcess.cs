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

    /// <returns>The exit code.</returns>
    public async Task<int> WaitAsync(string awaited, TimeSpan? deadline = null)
    {
        await Ended.Within(awaited, Log.ToString, deadline);
        return _process.ExitCode;
    }

    /// <summary>Waits until an ASP.NET Core application says that it has started; one that ends instead fails the test.</summary>
    public async Task WaitForStartAsync(string name, TimeSpan? deadline = null)
    {
        var started = Log.FirstAsync(static line => line.Contains("Application started", StringComparison.Ordinal));
        await Task.WhenAny(started, Ended).Within($"the start of {name}", Log.ToString, deadline);
        Assert.True(started.IsCompleted, $"{name} ended at its start: {Log}");
    }

    /// <summary>Asks the process to end, as a service manager does.</summary>
    /// <returns>The exit code.</returns>
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
