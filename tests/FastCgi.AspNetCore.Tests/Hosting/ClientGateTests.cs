using System.Net;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.TestKit;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace FastCgi.AspNetCore.Tests.Hosting;

public class ClientGateTests
{
    private static readonly Dictionary<string, string> s_webServers = new() { ["FCGI_WEB_SERVER_ADDRS"] = "10.0.0.5,10.0.0.6" };

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    [InlineData("203.0.113.1")]
    public async Task An_endpoint_that_others_can_reach_needs_a_word_about_who_may(string address)
    {
        await using var server = new ServerUnderTest(options => options.Listen(IPAddress.Parse(address), 0));

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(() => server.StartAsync());

        Assert.All(
            ["AllowedClients", "FCGI_WEB_SERVER_ADDRS", "unix socket", "AllowAnyClient"],
            wayOut => Assert.Contains(wayOut, exception.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_endpoint_that_others_can_reach_starts_with_a_list()
    {
        await using var server = new ServerUnderTest(
            options => options.Listen(IPAddress.Any, 0, static listen => listen.AllowedClients.Add("127.0.0.0/8")));

        await server.StartAsync();

        await AssertServesAsync(server);
    }

    [Fact]
    public async Task An_endpoint_that_others_can_reach_starts_with_the_override()
    {
        await using var server = new ServerUnderTest(
            options => options.ListenAnyIP(0, static listen => listen.AllowAnyClient = true));

        await server.StartAsync();

        await AssertServesAsync(server);
    }

    [Fact]
    public async Task An_endpoint_that_others_can_reach_starts_with_the_list_of_the_environment()
    {
        await using var server = new ServerUnderTest(
            options => options.Listen(IPAddress.Any, 0), ServerUnderTest.Launch(s_webServers));

        await server.StartAsync();

        await AssertRefusesAsync(server);
    }

    [Fact]
    public async Task A_client_has_to_be_on_the_list_of_the_environment_too()
    {
        await using var server = new ServerUnderTest(
            options => options.Listen(IPAddress.Loopback, 0, static listen => listen.AllowedClients.Add("127.0.0.1")),
            ServerUnderTest.Launch(s_webServers));

        await server.StartAsync();

        await AssertRefusesAsync(server);
    }

    [Fact]
    public async Task An_IPv4_client_of_a_dual_socket_is_its_IPv4_address()
    {
        await using var server = new ServerUnderTest(
            options => options.ListenAnyIP(0, static listen => listen.AllowedClients.Add("127.0.0.1")));

        await server.StartAsync();

        await AssertServesAsync(server);
    }

    [Fact]
    public async Task A_list_with_a_bad_entry_admits_nobody_and_says_so()
    {
        await using var server = new ServerUnderTest(options => options.Listen(IPAddress.Loopback, 0, static listen =>
        {
            listen.AllowedClients.Add("127.0.0.1");
            listen.AllowedClients.Add("10.0.0.0/99");
        }));
        server.Logs.ExpectError(LogEvents.InvalidAllowedClients);

        await server.StartAsync();

        var entry = await server.Logs.WaitForAsync(LogEvents.InvalidAllowedClients);
        Assert.Contains("'10.0.0.0/99' in AllowedClients", entry.Message, StringComparison.Ordinal);
        await AssertRefusesAsync(server);
    }

    [Fact]
    public async Task Refusals_are_logged_once_a_minute_with_their_number()
    {
        var time = new ManualTimeProvider();
        await using var server = new ServerUnderTest(
            static options => options.Listen(IPAddress.Loopback, 0, static listen => listen.AllowedClients.Add("10.0.0.5")),
            services: services => services.AddSingleton<TimeProvider>(time));
        await server.StartAsync();

        await AssertRefusesAsync(server);
        await AssertRefusesAsync(server);
        await AssertRefusesAsync(server);
        time.Advance(TimeSpan.FromMinutes(1));
        await AssertRefusesAsync(server);

        var entries = server.Logs.Entries.Where(entry => entry.EventId.Id == LogEvents.ClientRefused).ToList();
        Assert.Equal([1L, 3L], entries.Select(entry => entry.State.Single(pair => pair.Key == "Count").Value));
        Assert.All(entries, entry => Assert.Equal(LogLevel.Information, entry.Level));
    }

    [Fact]
    public async Task Unix_sockets_have_modes_instead_of_lists()
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        await using var server = new ServerUnderTest(
            options => options.ListenUnixSocket(path, static listen => listen.AllowedClients.Add("10.0.0.5")),
            ServerUnderTest.Launch(s_webServers));
        await server.StartAsync();

        await using var peer = await ScriptedPeer.ConnectAsync(new System.Net.Sockets.UnixDomainSocketEndPoint(path));
        Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }

    private static async Task<ScriptedPeer> ConnectAsync(ServerUnderTest server)
    {
        var bound = IPEndPoint.Parse(Assert.Single(server.Addresses.Addresses)["fastcgi://".Length..]);
        return await ScriptedPeer.ConnectAsync(new IPEndPoint(IPAddress.Loopback, bound.Port));
    }

    private static async Task AssertServesAsync(ServerUnderTest server)
    {
        await using var peer = await ConnectAsync(server);
        Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }

    private static async Task AssertRefusesAsync(ServerUnderTest server)
    {
        await using var peer = await ConnectAsync(server);
        Assert.Empty(await peer.ExpectClosedAsync());
    }
}
