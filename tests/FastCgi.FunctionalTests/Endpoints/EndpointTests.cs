using System.Runtime.Versioning;
using Microsoft.Extensions.Configuration;

namespace FastCgi.FunctionalTests.Endpoints;

/// <summary>Rows E of the hard inputs that are about where the server listens, and who may connect.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class EndpointTests : FunctionalTest
{
    public static MatrixTheoryData<ServerTransport, string> OfIPv6 { get; } =
        new(new UnixTransports().Select(static row => row.Data), ["::1/128", "::2/128"]);

    private string SocketPath => Path.Combine(Folder, "app.sock");

    [Theory, ClassData(typeof(UnixTransports))]
    [HardInput("E1")]
    public async Task The_socket_file_of_a_dead_process_is_taken_over(ServerTransport transport)
    {
        using (var dead = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            // A bind of .NET removes the file at the end of the socket; a kill does not, and a copy of the name stays.
            dead.Bind(new UnixDomainSocketEndPoint(SocketPath + ".dead"));
            File.Move(SocketPath + ".dead", SocketPath);
        }

        await StartAsync(transport, Write("served"), options => options.ListenUnixSocket(SocketPath));

        await AssertServesAnotherConnectionAsync();
        await Logs.WaitForAsync(StaleSocketRemoved);
    }

    [Fact]
    [HardInput("E1")]
    public async Task A_file_or_aFolder_at_the_path_is_named_and_left_alone()
    {
        await File.WriteAllTextAsync(SocketPath, "precious", TestContext.Current.CancellationToken);
        var directory = Path.Combine(Folder, "directory");
        Directory.CreateDirectory(directory);

        var file = await AssertDoesNotStartAsync(options => options.ListenUnixSocket(SocketPath));
        var folder = await AssertDoesNotStartAsync(options => options.ListenUnixSocket(directory));

        Assert.Contains(SocketPath, file.Message, StringComparison.Ordinal);
        Assert.Contains("no socket", file.Message, StringComparison.Ordinal);
        Assert.Contains(directory, folder.Message, StringComparison.Ordinal);
        Assert.Contains("there is a directory at this path", folder.Message, StringComparison.Ordinal);
        Assert.Equal("precious", await File.ReadAllTextAsync(SocketPath, TestContext.Current.CancellationToken));
        Assert.True(Directory.Exists(directory));
    }

    [Fact]
    [HardInput("E2")]
    public async Task A_second_server_on_the_path_says_so_and_the_first_goes_on()
    {
        await StartAsync(Write("served"), options => options.ListenUnixSocket(SocketPath));

        var error = await AssertDoesNotStartAsync(options => options.ListenUnixSocket(SocketPath));

        Assert.IsType<IOException>(error);
        Assert.Equal($"Failed to bind to address unix:{SocketPath}: address already in use.", error.Message);
        Assert.Equal(SocketError.AddressAlreadyInUse, ((SocketException)error.InnerException!).SocketErrorCode);
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("E3")]
    public async Task One_bad_entry_in_the_allow_list_closes_the_door()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(
        [
            new("Endpoints:A:Url", "127.0.0.1:0"),
            new("Endpoints:A:AllowedClients", "127.0.0.1, 127.0.0.0/99"),
        ]).Build();

        var exception = await AssertDoesNotStartAsync(options => options.Configure(configuration));

        Assert.Contains("Endpoints:A:AllowedClients", exception.Message, StringComparison.Ordinal);
        Assert.Contains("'127.0.0.0/99' is none", exception.Message, StringComparison.Ordinal);
    }

    [Theory, ClassData(typeof(UnixTransports))]
    [HardInput("E3")]
    public async Task An_IPv4_client_of_an_IPv6_socket_is_its_IPv4_address(ServerTransport transport)
    {
        await StartAsync(
            transport,
            Write("served"),
            options => options.ListenAnyIP(0, listen => listen.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"))));

        await AssertServesAnotherConnectionAsync();
    }

    [Theory, MemberData(nameof(OfIPv6))]
    [HardInput("E3")]
    public async Task All_128_bits_of_an_IPv6_address_count(ServerTransport transport, string allowed)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "There is no IPv6 here.");
        await StartAsync(transport, Write("served"), options => options.Listen(
            IPAddress.IPv6Loopback, 0, listen => listen.AllowedClients.Add(IPNetwork.Parse(allowed))));

        if (allowed == "::1/128")
        {
            await AssertServesAnotherConnectionAsync();
        }
        else
        {
            Assert.Empty(await (await ConnectAsync()).ExpectClosedAsync());
        }
    }

    [Theory, ClassData(typeof(UnixTransports))]
    [HardInput("E8")]
    public async Task The_socket_has_its_mode_before_anyone_can_connect(ServerTransport transport)
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
            await StartAsync(
                transport,
                Write("served"),
                options => options.ListenUnixSocket(SocketPath, listen => listen.UnixMode = OwnerAlone));

            Assert.Equal(OwnerAlone, await first.Within("the first connection"));
            await AssertServesAnotherConnectionAsync();
        }
        finally
        {
            await stop.CancelAsync();
        }
    }

    private static Task<Exception> AssertDoesNotStartAsync(Action<FastCgiServerOptions> listen) =>
        Assert.ThrowsAnyAsync<Exception>(() => FunctionalServer.StartAsync(Transports.Usual, Write("served"), listen));
}
