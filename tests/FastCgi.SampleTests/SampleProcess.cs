namespace FastCgi.SampleTests;

/// <summary>A sample as a process of its own, in the environment that a deployed one has.</summary>
internal sealed class SampleProcess : IAsyncDisposable
{
    private static readonly TimeSpan _startDeadline = TimeSpan.FromSeconds(60);

    private readonly ChildProcess _process;

    private SampleProcess(ChildProcess process) => _process = process;

    public ErrorLog Log => _process.Log;

    /// <param name="name">Of the sample's folder and program.</param>
    /// <param name="arguments">The program's; <c>--urls</c> is among them.</param>
    public static SampleProcess Launch(string name, params string[] arguments) => new(ChildProcess.Start(
        "dotnet",
        [Path.Combine(AppContext.BaseDirectory, $"{name}.dll"), .. arguments],
        Path.Combine(Repository.Root, "samples", name)));

    /// <inheritdoc cref="Launch"/>
    public static async Task<SampleProcess> StartAsync(string name, params string[] arguments)
    {
        var sample = Launch(name, arguments);
        try
        {
            await sample._process.WaitForStartAsync(name, _startDeadline);
            return sample;
        }
        catch
        {
            await sample.DisposeAsync();
            throw;
        }
    }

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>The exit code.</returns>
    public Task<int> EndAsync() => _process.WaitAsync("the end of the sample", _startDeadline);

    /// <summary>SIGTERM, as from a service manager.</summary>
    /// <returns>The exit code.</returns>
    public Task<int> StopAsync() => _process.StopAsync();

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}
