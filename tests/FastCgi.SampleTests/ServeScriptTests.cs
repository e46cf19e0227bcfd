using System.Net.Sockets;

namespace FastCgi.SampleTests;

/// <summary>What <c>samples/serve</c> refuses before it publishes anything.</summary>
public sealed class ServeScriptTests
{
    [Fact]
    public async Task A_port_in_use_is_told_at_once()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;

        var (status, output) = await RunAsync("Hello", "--port", $"{port}");

        Assert.Equal(1, status);
        Assert.Equal($"serve: port {port} of 127.0.0.1 is in use; name another one, or leave out --port", output.Trim());
    }

    [Theory]
    [InlineData("Nothing")]
    [InlineData("../samples/Hello")]
    public async Task An_unknown_sample_is_answered_with_the_names_of_all(string name)
    {
        var (status, output) = await RunAsync(name);

        Assert.Equal(2, status);
        Assert.EndsWith($"\nWave\nserve: no such sample: {name}", output.TrimEnd(), StringComparison.Ordinal);
    }

    private static async Task<(int Status, string Output)> RunAsync(params string[] arguments)
    {
        var (status, log) = await ChildProcess.RunAsync(
            "bash", ["samples/serve", .. arguments], Repository.Root, deadline: TimeSpan.FromSeconds(60));
        return (status, log.ToString());
    }
}
