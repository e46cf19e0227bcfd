using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace FastCgi.Benchmarks.Processes;

/// <summary>
/// A program in a session of its own, as under a service manager: the kernel schedules it apart from the others, and
/// whatever it starts is accounted for with it and ends with it.
/// </summary>
internal sealed partial class SessionProcess : IAsyncDisposable
{
    private const int SignalKill = 9;
    private const int SignalTerminate = 15;
    private const int KeptLines = 20;

    private static readonly TimeSpan s_stopDeadline = TimeSpan.FromSeconds(10);

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lastLines = new();

    private SessionProcess(Process process) => _process = process;

    public bool HasExited => _process.HasExited;

    /// <summary>The end of what it wrote, for the message that says why it did not start.</summary>
    public string LastLines => string.Join(Environment.NewLine, _lastLines);

    public static SessionProcess Start(ProcessCommand command, string directory)
    {
        var process = new Process
        {
            // setsid executes the program in its own place, since what we start leads no process group: same id.
            StartInfo = new ProcessStartInfo("setsid", [command.Program, .. command.Arguments])
            {
                WorkingDirectory = directory,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };
        var session = new SessionProcess(process);
        process.OutputDataReceived += session.Keep;
        process.ErrorDataReceived += session.Keep;
        process.Start();
        AppDomain.CurrentDomain.ProcessExit += session.KillAtExit;
        process.StandardInput.Close();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return session;
    }

    /// <summary>What all its processes have used since they started.</summary>
    public SessionUsage ReadUsage() => SessionUsage.Read(_process.Id);

    public async ValueTask DisposeAsync()
    {
        _ = Signal(-_process.Id, SignalTerminate);
        using var deadline = new CancellationTokenSource(s_stopDeadline);
        try
        {
            await _process.WaitForExitAsync(deadline.Token);
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine($"{_process.StartInfo.ArgumentList[0]} did not end when asked, and was killed.");
        }

        KillAtExit(this, EventArgs.Empty);
        AppDomain.CurrentDomain.ProcessExit -= KillAtExit;
        _process.Dispose();
    }

    private void Keep(object sender, DataReceivedEventArgs line)
    {
        if (line.Data is null)
        {
            return;
        }

        _lastLines.Enqueue(line.Data);
        if (_lastLines.Count > KeptLines)
        {
            _lastLines.TryDequeue(out _);
        }
    }

    /// <summary>The whole group: it holds the children that outlived their parent.</summary>
    private void KillAtExit(object? sender, EventArgs e) => _ = Signal(-_process.Id, SignalKill);

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Signal(int processOrGroup, int signal);
}
