namespace FastCgi.PeerTests.Harness;

/// <summary>An application of another make, started once for its class of tests.</summary>
public abstract class PeerApplication : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private Task<ChildProcess>? _process;

    /// <summary>Where it listens.</summary>
    public string Endpoint => "unix:" + SocketPath;

    protected string SocketPath => _directory.File("app.sock");

    /// <summary>For what is built or written; deleted at the end.</summary>
    protected string Directory => _directory.Path;

    /// <summary>What its client needs to know about it.</summary>
    public virtual void Configure(FastCgiHandlerOptions options)
    {
    }

    /// <summary>Starts it if it does not run. A missing program fails the test on a build machine.</summary>
    public Task StartAsync() => _process ??= StartProcessAsync();

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        if (_process is { IsCompletedSuccessfully: true } started)
        {
            await (await started).DisposeAsync();
        }

        _directory.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>The folder of its sources.</summary>
    protected static string Sources(string name) =>
        Path.Combine(Repository.Root, "tests", "FastCgi.PeerTests", "Applications", name);

    /// <summary>Builds what has to be built. Returns the program and its arguments.</summary>
    private protected abstract Task<(string Program, string[] Arguments)> PrepareAsync();

    private protected Task BuildAsync(string program, string[] arguments, string directory) => ChildProcess.SucceedAsync(
        program,
        arguments,
        directory,
        new Dictionary<string, string> { ["GOCACHE"] = _directory.File("go"), ["GOFLAGS"] = "-mod=mod" },
        TimeSpan.FromMinutes(3));

    private async Task<ChildProcess> StartProcessAsync()
    {
        (string program, string[] arguments) = await PrepareAsync();
        return await ChildProcess.Start(program, arguments, Directory).StartedAsync(async process =>
        {
            await Eventually.HoldsAsync(
                () => process.Ended.IsCompleted || IsListening(),
                () => $"{program} did not listen: {process.Log}",
                TimeSpan.FromSeconds(30));
            Assert.False(process.Ended.IsCompleted, $"{program} ended at its start: {process.Log}");
        });
    }

    /// <summary>A program of another make has no other sign of its readiness than its socket.</summary>
    private bool IsListening()
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(SocketPath));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
