namespace FastCgi.WebServerKit.Network;

/// <summary>One machine of the network. It shares its files with this one, and has addresses and ports of its own.</summary>
internal sealed class TestMachine(TestNetwork network, string name, IPAddress address)
{
    public string Name => name;

    public IPAddress Address => address;

    public ChildProcess Start(
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null) =>
        network.Start(name, program, arguments, directory, environment);

    /// <summary>Pulls the machine's cable: for everybody else it is switched off.</summary>
    public Task UnplugAsync() => network.ConnectAsync(name, isConnected: false);

    public Task PlugInAsync() => network.ConnectAsync(name, isConnected: true);
}
