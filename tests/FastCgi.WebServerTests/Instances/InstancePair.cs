namespace FastCgi.WebServerTests.Instances;

/// <summary>Two running instances of one application.</summary>
internal sealed class InstancePair : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();

    private InstancePair(Func<string, WorkDirectory, Instance> at)
    {
        First = at("first", _directory);
        Second = at("second", _directory);
    }

    public Instance First { get; }

    public Instance Second { get; }

    /// <summary>The orders that were executed, by either.</summary>
    public IReadOnlyList<string> Orders => [.. First.Orders, .. Second.Orders];

    public static Task<InstancePair> StartOnUnixSocketsAsync() => StartAsync(Instance.OnUnixSocket);

    public static Task<InstancePair> StartOnTcpAsync() => StartAsync(Instance.OnTcp);

    public override string ToString() => $"{First.Name}:\n{First.Log}\n{Second.Name}:\n{Second.Log}";

    public async ValueTask DisposeAsync()
    {
        await First.DisposeAsync();
        await Second.DisposeAsync();
        _directory.Dispose();
    }

    private static async Task<InstancePair> StartAsync(Func<string, WorkDirectory, Instance> at)
    {
        var pair = new InstancePair(at);
        try
        {
            await Task.WhenAll(pair.First.StartAsync(), pair.Second.StartAsync());
            return pair;
        }
        catch
        {
            await pair.DisposeAsync();
            throw;
        }
    }
}
