using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.FunctionalTests.Endpoints;

/// <summary>Rows E of the hard inputs that are about where the server listens, and who may connect.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class EndpointTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("fcgi-").FullName;
    private readonly LogRecorder _logs = new();

    private string SocketPath => Path.Combine(_directory, "app.sock");

    public void Dispose()
    {
        Directory.Delete(_directory, recursive: true);
        _logs.AssertNoUnexpectedErrors();
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E1")]
    public async Task The_socket_file_of_a_dead_process_is_taken_over(FastCgiTransport transport)
    {
        using (var dead = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            // A bind of .NET removes the file at the end of the socket; a kill does not, and a copy of the name stays.
            dead.Bind(new UnixDomainSocketEndPoint(SocketPath + ".dead"));
            File.Move(SocketPath + ".dead", SocketPath);
        }

        await using var server = await StartAsync(transport, options => options.ListenUnixSocket(SocketPath));

        await AssertServesAsync(server);
        await _logs.WaitForAsync(LogEvents.StaleSocketRemoved);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E1")]
    public async Task A_file_or_a_directory_at_the_path_is_named_and_left_alone(FastCgiTransport transport)
    {
        await File.WriteAllTextAsync(SocketPath, "precious", TestContext.Current.CancellationToken);
        var directory = Path.Combine(_directory, "directory");
        Directory.CreateDirectory(directory);

        var file = await AssertDoesNotStartAsync(transport, options => options.ListenUnixSocket(SocketPath));
        var folder = await AssertDoesNotStartAsync(transport, options => options.ListenUnixSocket(directory));

        Assert.Contains(SocketPath, file.Message, StringComparison.Ordinal);
        Assert.Contains("no socket", file.Message, StringComparison.Ordinal);
        Assert.Contains(directory, folder.Message, StringComparison.Ordinal);
        Assert.Equal("precious", await File.ReadAllTextAsync(SocketPath, TestContext.Current.CancellationToken));
        Assert.True(Directory.Exists(directory));
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E1")]
    public void A_path_that_is_too_long_is_refused_with_its_length(FastCgiTransport transport)
    {
        var path = Path.Combine(_directory, new string('s', 200));

        var error = Assert.Throws<ArgumentException>(() => Build(transport, options => options.ListenUnixSocket(path)));

        Assert.Contains($"{path.Length} bytes", error.Message, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E2")]
    public async Task A_second_server_on_the_path_says_so_and_the_first_goes_on(FastCgiTransport transport)
    {
        await using var first = await StartAsync(transport, options => options.ListenUnixSocket(SocketPath));

        var error = await AssertDoesNotStartAsync(transport, options => options.ListenUnixSocket(SocketPath));

        Assert.IsType<IOException>(error);
        Assert.Contains(SocketPath, error.Message, StringComparison.Ordinal);
        Assert.Contains("address already in use", error.Message, StringComparison.Ordinal);
        await AssertServesAsync(first);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E3")]
    public async Task One_bad_entry_in_the_allow_list_closes_the_door(FastCgiTransport transport)
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(
        [
            new("Endpoints:A:Url", "127.0.0.1:0"),
            new("Endpoints:A:AllowedClients", "127.0.0.1, 127.0.0.0/99"),
        ]).Build();

        var exception = await AssertDoesNotStartAsync(transport, options => options.Configure(configuration));

        Assert.Contains("Endpoints:A:AllowedClients", exception.Message, StringComparison.Ordinal);
        Assert.Contains("'127.0.0.0/99' is none", exception.Message, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E3")]
    public async Task An_IPv4_client_of_an_IPv6_socket_is_its_IPv4_address(FastCgiTransport transport)
    {
        await using var server = await StartAsync(
            transport, options => options.ListenAnyIP(0, listen => listen.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"))));

        await AssertServesAsync(server);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E3")]
    public async Task All_128_bits_of_an_IPv6_address_count(FastCgiTransport transport)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "There is no IPv6 here.");
        await using var near = await StartAsync(
            transport, options => options.Listen(IPAddress.IPv6Loopback, 0, listen => listen.AllowedClients.Add(IPNetwork.Parse("::2/128"))));
        await using var right = await StartAsync(
            transport, options => options.Listen(IPAddress.IPv6Loopback, 0, listen => listen.AllowedClients.Add(IPNetwork.Parse("::1/128"))));

        await using (var peer = await ConnectAsync(near))
        {
            Assert.Empty(await peer.ExpectClosedAsync());
        }

        await AssertServesAsync(right);
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E7")]
    public async Task A_port_that_all_can_reach_is_refused_with_the_ways_out(FastCgiTransport transport)
    {
        foreach (var address in (IPAddress[])[IPAddress.Any, IPAddress.IPv6Any])
        {
            var error = await AssertDoesNotStartAsync(transport, options => options.Listen(address, 0));

            Assert.All(
                ["AllowedClients", "FCGI_WEB_SERVER_ADDRS", "127.0.0.1", "unix socket", "AllowAnyClient"],
                wayOut => Assert.Contains(wayOut, error.Message, StringComparison.Ordinal));
        }
    }

    [Theory, MemberData(nameof(Both))]
    [HardInput("E8")]
    public async Task The_socket_has_its_mode_before_anyone_can_connect(FastCgiTransport transport)
    {
        const UnixFileMode OwnerAlone = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var stop = new CancellationTokenSource();
        // Whoever gets in first sees which mode let them.
        var first = Task.Run(async () =>
        {
            while (true)
            {
                stop.Token.ThrowIfCancellationRequested();
                using var peer = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                try
                {
                    await peer.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath), stop.Token);
                    return File.GetUnixFileMode(SocketPath);
                }
                catch (SocketException)
                {
                    await Task.Yield();
                }
            }
        });
        try
        {
            await using var server = await StartAsync(
                transport, options => options.ListenUnixSocket(SocketPath, listen => listen.UnixMode = OwnerAlone));

            Assert.Equal(OwnerAlone, await first.Within("the first connection"));
            await AssertServesAsync(server);
        }
        finally
        {
            await stop.CancelAsync();
        }
    }

    public static TheoryData<FastCgiTransport> Both() => OperatingSystem.IsLinux()
        ? [FastCgiTransport.Epoll, FastCgiTransport.Sockets]
        : [FastCgiTransport.Sockets];

    private async Task<WebApplication> StartAsync(FastCgiTransport transport, Action<FastCgiServerOptions> listen)
    {
        var application = Build(transport, listen);
        await application.StartAsync().Within("the start of the server");
        return application;
    }

    private async Task<Exception> AssertDoesNotStartAsync(FastCgiTransport transport, Action<FastCgiServerOptions> listen)
    {
        // The host logs the error that it also throws.
        _logs.ExpectError(entry => entry.Category == "Microsoft.Extensions.Hosting.Internal.Host");
        await using var application = Build(transport, listen);
        return await Assert.ThrowsAnyAsync<Exception>(() => application.StartAsync().Within("the start of the server"));
    }

    private WebApplication Build(FastCgiTransport transport, Action<FastCgiServerOptions> listen)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.SetMinimumLevel(LogLevel.Trace).AddProvider(_logs);
        builder.WebHost.UseFastCgi(options =>
        {
            options.Transport = transport;
            listen(options);
        });
        var application = builder.Build();
        application.Run(context => context.Response.WriteAsync("served"));
        return application;
    }

    private static Task<ScriptedPeer> ConnectAsync(WebApplication server)
    {
        const string Unix = "fastcgi://unix:";
        var address = server.Services.GetRequiredService<IServer>()
            .Features.Get<IServerAddressesFeature>()!.Addresses.Single();
        if (address.StartsWith(Unix, StringComparison.Ordinal))
        {
            return ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(address[Unix.Length..]));
        }

        var bound = IPEndPoint.Parse(address["fastcgi://".Length..]);
        return ScriptedPeer.ConnectAsync(
            bound.Address.Equals(IPAddress.IPv6Any) ? new IPEndPoint(IPAddress.Loopback, bound.Port) : bound);
    }

    private static async Task AssertServesAsync(WebApplication server)
    {
        await using var peer = await ConnectAsync(server);
        Assert.Equal("served", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }
}
