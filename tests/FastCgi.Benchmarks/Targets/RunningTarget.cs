namespace FastCgi.Benchmarks.Targets;

/// <summary>A target that accepts connections: one process, or several behind one upstream.</summary>
internal sealed class RunningTarget : IAsyncDisposable
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(50);

    private readonly List<SessionProcess> _processes = [];

    private RunningTarget(Target target, IReadOnlyList<BackEndAddress> addresses)
    {
        Target = target;
        Addresses = addresses;
    }

    public Target Target { get; }

    /// <summary>One of each process.</summary>
    public IReadOnlyList<BackEndAddress> Addresses { get; }

    /// <summary>Of the first process.</summary>
    public string SocketPath => Addresses[0].SocketPath;

    public SessionUsage ReadUsage() => SessionUsage.Sum(_processes.Select(static process => process.ReadUsage()));

    /// <param name="connections">The most that will be open at a time.</param>
    /// <param name="isTcp">On ports, not on unix sockets.</param>
    /// <exception cref="InvalidOperationException">It ended, or does not listen in time.</exception>
    public static async Task<RunningTarget> StartAsync(
        Target target, string directory, int connections, int processes = 1, bool isTcp = false)
    {
        string[] directories = [.. Enumerable.Range(1, processes)
            .Select(number => Directory.CreateDirectory(Path.Combine(directory, $"{target.Name}-{number}")).FullName)];
        var running = new RunningTarget(target, isTcp
            ? BackEndAddress.FreePorts(processes)
            : [.. directories.Select(static own => BackEndAddress.OfSocket(Path.Combine(own, "socket")))]);
        try
        {
            foreach (var (address, own) in running.Addresses.Zip(directories))
            {
                running._processes.Add(
                    SessionProcess.Start(target.Command(new TargetSetup(address, own, connections)), own));
            }

            foreach (var (address, process) in running.Addresses.Zip(running._processes))
            {
                await WaitUntilListeningAsync(address, process);
            }

            return running;
        }
        catch
        {
            await running.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var process in _processes)
        {
            await process.DisposeAsync();
        }
    }

    private static async Task WaitUntilListeningAsync(BackEndAddress address, SessionProcess process)
    {
        using var deadline = new CancellationTokenSource(s_startDeadline);
        while (!await address.IsListeningAsync())
        {
            if (process.HasExited || deadline.IsCancellationRequested)
            {
                string fault = process.HasExited ? "it ended at its start" : $"it does not listen on {address}";
                string last = process.LastLines;
                throw new InvalidOperationException(last.Length == 0 ? fault : $"{fault}: {last}");
            }

            await Task.Delay(s_pollInterval);
        }
    }
}
