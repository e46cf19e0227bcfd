using System.Net.Sockets;
using FastCgi.Benchmarks.Processes;

namespace FastCgi.Benchmarks.Targets;

/// <summary>A target that accepts connections on its unix socket.</summary>
internal sealed class RunningTarget : IAsyncDisposable
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(50);

    private readonly SessionProcess _process;

    private RunningTarget(Target target, TargetSetup setup, SessionProcess process)
    {
        Target = target;
        SocketPath = setup.SocketPath;
        _process = process;
    }

    public Target Target { get; }

    public string SocketPath { get; }

    public SessionUsage ReadUsage() => _process.ReadUsage();

    /// <param name="target">A prepared one.</param>
    /// <param name="directory">Gets a directory of the target's own.</param>
    /// <param name="connections">The most that will be open at a time.</param>
    /// <exception cref="InvalidOperationException">It ended, or does not listen in time.</exception>
    public static async Task<RunningTarget> StartAsync(Target target, string directory, int connections)
    {
        string own = Directory.CreateDirectory(Path.Combine(directory, target.Name)).FullName;
        var setup = new TargetSetup(Path.Combine(own, "socket"), own, connections);
        var process = SessionProcess.Start(target.Command(setup), own);
        var running = new RunningTarget(target, setup, process);
        using var deadline = new CancellationTokenSource(s_startDeadline);
        while (!await running.IsListeningAsync())
        {
            if (process.HasExited || deadline.IsCancellationRequested)
            {
                string fault = process.HasExited ? "it ended at its start" : "it does not listen on its socket";
                string last = process.LastLines;
                await running.DisposeAsync();
                throw new InvalidOperationException(last.Length == 0 ? fault : $"{fault}: {last}");
            }

            await Task.Delay(s_pollInterval);
        }

        return running;
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private async Task<bool> IsListeningAsync()
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
