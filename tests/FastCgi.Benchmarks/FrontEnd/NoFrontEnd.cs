namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>The load generator asks the target itself.</summary>
internal sealed class NoFrontEnd : IFrontEnd
{
    public Uri AddressOf(RunningTarget target) => new($"http://{target.Addresses[0]}/");

    public SessionUsage ReadUsage() => default;

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
