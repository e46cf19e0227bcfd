namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>One nginx in front of all targets.</summary>
internal sealed class Nginx : IFrontEnd
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(50);

    private readonly SessionProcess _process;
    private readonly Dictionary<RunningTarget, Uri> _addresses;

    private Nginx(SessionProcess process, Dictionary<RunningTarget, Uri> addresses)
    {
        _process = process;
        _addresses = addresses;
    }

    /// <exception cref="InvalidOperationException">It is not installed.</exception>
    public static string Program => InstalledProgram.Require("nginx", "nginx-light");

    public SessionUsage ReadUsage() => _process.ReadUsage();

    public Uri AddressOf(RunningTarget target) => _addresses[target];

    public static async Task<Nginx> StartAsync(
        IReadOnlyList<RunningTarget> targets, string directory, bool keepConnections, int connections)
    {
        string own = Directory.CreateDirectory(Path.Combine(directory, "nginx")).FullName;
        BackEndAddress[] ports = BackEndAddress.FreePorts(targets.Count);
        string file = Path.Combine(own, "nginx.conf");
        await File.WriteAllTextAsync(
            file,
            NginxConfiguration.Write(
                own, targets.Zip(ports, static (target, port) => (target, port.Port)), keepConnections, connections));

        var process = SessionProcess.Start(new(Program, "-e", "stderr", "-p", own, "-c", file), own);
        var addresses = targets.Zip(ports, static (target, port) => (target, new Uri($"http://{port}/")));
        using var deadline = new CancellationTokenSource(s_startDeadline);
        while (!await ports[^1].IsListeningAsync())
        {
            if (process.HasExited || deadline.IsCancellationRequested)
            {
                string last = process.LastLines;
                await process.DisposeAsync();
                throw new InvalidOperationException($"nginx did not start. {last}");
            }

            await Task.Delay(s_pollInterval);
        }

        return new Nginx(process, addresses.ToDictionary());
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}
