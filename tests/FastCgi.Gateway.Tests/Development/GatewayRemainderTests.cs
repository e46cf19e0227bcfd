using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.TestHost;

namespace FastCgi.Gateway.Tests.Development;

/// <summary>What is left of a gateway that does not run. Alone, because other tests have directories of that name.</summary>
[Collection(nameof(GatewayRemainderTests))]
[CollectionDefinition(nameof(GatewayRemainderTests), DisableParallelization = true)]
public class GatewayRemainderTests
{
    [Fact]
    public async Task A_taken_port_gives_the_error_of_Kestrel_and_leaves_no_file()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var before = PrivateDirectories();
        await using var application = DevelopmentApplication.Create(
            static app => app.Run(GatewayAddressTests.Hello), null, "--urls", $"http://{other.LocalEndpoint}");
        application.Logs.ExpectError(static entry => entry.Category == "Microsoft.Extensions.Hosting.Internal.Host");

        var exception = await Assert.ThrowsAsync<IOException>(application.StartAsync);

        Assert.Contains($"http://{other.LocalEndpoint}", exception.Message, StringComparison.Ordinal);
        Assert.Contains("address already in use", exception.Message, StringComparison.Ordinal);
        Assert.Empty(PrivateDirectories().Except(before));
    }

    [Fact]
    public async Task A_test_server_takes_its_place_and_nothing_is_bound()
    {
        var before = PrivateDirectories();
        await using var application = await DevelopmentApplication.StartAsync(
            static app => app.Run(GatewayAddressTests.Hello), static builder => builder.WebHost.UseTestServer());

        using var client = ((TestServer)application.Services.GetRequiredService<IServer>()).CreateClient();
        Assert.Equal("hello", await client.GetStringAsync(new Uri("http://localhost/")));
        Assert.Empty(PrivateDirectories().Except(before));
    }

    private static string[] PrivateDirectories() =>
        Directory.GetDirectories(Path.GetTempPath(), $"fastcgi-gateway-{Environment.ProcessId}-*");
}
