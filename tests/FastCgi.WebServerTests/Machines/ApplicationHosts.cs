using FastCgi.WebServerKit.Network;
using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Machines;

/// <summary>A network of a web host and two application hosts, with one instance of the application on each of these.</summary>
internal sealed class ApplicationHosts : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly TestNetwork _network;

    private ApplicationHosts(TestNetwork network)
    {
        _network = network;
        First = Instance.OnMachine("first", FirstHost, WebHost, _directory);
        Second = Instance.OnMachine("second", SecondHost, WebHost, _directory);
    }

    public TestMachine WebHost => _network.Machines[0];

    public TestMachine FirstHost => _network.Machines[1];

    public TestMachine SecondHost => _network.Machines[2];

    public Instance First { get; }

    public Instance Second { get; }

    /// <summary>The orders that were executed, on either host.</summary>
    public IReadOnlyList<string> Orders => [.. First.Orders, .. Second.Orders];

    /// <summary>With the application running on the first host alone.</summary>
    public static async Task<ApplicationHosts> StartFirstAsync()
    {
        var hosts = new ApplicationHosts(await TestNetwork.StartAsync("web", "app1", "app2"));
        try
        {
            await hosts.First.StartAsync();
            return hosts;
        }
        catch
        {
            await hosts.DisposeAsync();
            throw;
        }
    }

    public static async Task<ApplicationHosts> StartAsync()
    {
        var hosts = await StartFirstAsync();
        try
        {
            await hosts.Second.StartAsync();
            return hosts;
        }
        catch
        {
            await hosts.DisposeAsync();
            throw;
        }
    }

    public override string ToString() => $"{First.Name}:\n{First.Log}";

    public async ValueTask DisposeAsync()
    {
        await First.DisposeAsync();
        await Second.DisposeAsync();
        await _network.DisposeAsync();
        _directory.Dispose();
    }
}
