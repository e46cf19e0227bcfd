using System.Runtime.InteropServices;
using FastCgi.AspNetCore.Tests.Transport;

namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

/// <summary>
/// The socket that systemd made belongs to root and the web server's group, and the service's user is neither: the
/// server may not connect to itself.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed partial class EndpointWatchTests : IDisposable
{
    private const uint Nobody = 65534;

    private static readonly TimeSpan _timeout = TimeSpan.FromMilliseconds(200);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("fcgi-");
    private readonly LogRecorder _logs = new();
    private readonly EndpointListener _listener;
    private readonly EndpointWatch _watch;
    private long _accepted;
    private long _acceptedBetweenLooks;

    public EndpointWatchTests()
    {
        var path = Path.Combine(_directory.FullName, "app.sock");
        var endPoint = new UnixDomainSocketEndPoint(path);
        var logger = _logs.CreateLogger("test");
        _listener = SocketListener.Bind(new ListenTarget(endPoint), logger);
        File.SetUnixFileMode(path, UnixFileMode.None);
        _watch = new EndpointWatch(() => _accepted += _acceptedBetweenLooks, logger);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public void A_socket_that_the_server_may_not_connect_to_is_open_while_nobody_waits_in_its_queue()
    {
        Assert.True(IsOpenForNobody(_listener));
        Assert.True(IsOpenForNobody(_listener));

        var warning = Assert.Single(_logs.Entries);
        Assert.Contains("SocketUser=", warning.Message, StringComparison.Ordinal);
        Assert.Contains(_listener.LocalEndPoint.ToString()!, warning.Message, StringComparison.Ordinal);
    }

    /// <summary>"Any address" of IPv6 is open where the machine has IPv4 addresses alone.</summary>
    [Theory]
    [InlineData("0.0.0.0", "127.0.0.1:9000")]
    [InlineData("::", "[::1]:9000 127.0.0.1:9000")]
    [InlineData("10.0.0.2", "10.0.0.2:9000")]
    public void Any_address_is_looked_for_on_this_machine(string address, string ways) => Assert.Equal(
        ways, string.Join(' ', EndpointWatch.WaysTo(new IPEndPoint(IPAddress.Parse(address), 9000)).AsEnumerable()));

    [Fact]
    public void A_listener_on_one_of_two_ways_is_found()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var accepted = listener.AcceptAsync();
        _ = accepted.ContinueWith(static task => task.Result.Dispose(), TaskScheduler.Default);
        var port = ((IPEndPoint)listener.LocalEndPoint!).Port;

        Assert.Equal(
            SocketError.Success,
            EndpointWatch.TryConnect(new IPEndPoint(IPAddress.IPv6Any, port), TimeSpan.FromSeconds(5), static _ => { }));
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    public void One_whose_queue_stands_still_is_not_unless_it_accepts_others_meanwhile(int accepted, bool isOpen)
    {
        using var waiting = Connect();
        _acceptedBetweenLooks = accepted;

        Assert.Equal(isOpen, IsOpenForNobody(_listener));
    }

    [Fact]
    public void A_socket_that_a_sandbox_hides_is_judged_by_its_queue()
    {
        var endPoint = new UnixDomainSocketEndPoint(Path.Combine(_directory.FullName, "passed.sock"));
        var handle = PassedSocket.Create(endPoint);
        using var listener = SocketListener.Bind(new ListenTarget(handle), _logs.CreateLogger("test"));
        File.Delete(endPoint.ToString());

        Assert.True(IsOpenForNobody(listener));
        Assert.Single(_logs.Entries);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void One_that_lost_its_file_or_accepts_nobody_is_not_open(bool hasFile)
    {
        var path = _listener.LocalEndPoint.ToString()!;
        if (hasFile)
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
        else
        {
            File.Delete(path);
        }

        Assert.False(_watch.IsOpen(_listener, _timeout));
    }

    /// <summary>The probe of the watchdog would wait behind them, and say nothing about the server.</summary>
    [Fact]
    public async Task While_connections_wait_for_descriptors_the_requests_decide()
    {
        await using var harness = new TransportHarness(TransportKind.Sockets);
        _listener.Start(
            harness.Transport, static connection => connection.Start(new RecordingHandler(connection)),
            new DescriptorReserve(limit: 2, used: 0));
        using var served = Connect();
        await _logs.WaitForAsync(LogEvents.AcceptPaused);
        File.SetUnixFileMode(_listener.LocalEndPoint.ToString()!, UnixFileMode.UserRead | UnixFileMode.UserWrite);

        Assert.True(_watch.IsOpen(_listener, _timeout));
        using var waiting = Connect();
        Assert.Null(_watch.IsOpen(_listener, _timeout));
        Assert.DoesNotContain(
            _logs.Entries, static entry => entry.Message.Contains("SocketUser=", StringComparison.Ordinal));
    }

    private Socket Connect()
    {
        var path = _listener.LocalEndPoint.ToString()!;
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(_listener.LocalEndPoint);
        File.SetUnixFileMode(path, UnixFileMode.None);
        return socket;
    }

    /// <summary>root may connect to everything, so the thread that looks is nobody's.</summary>
    private bool IsOpenForNobody(EndpointListener listener)
    {
        var isOpen = false;
        var thread = new Thread(() =>
        {
            if (Environment.IsPrivilegedProcess)
            {
                _ = SetFileUser(Nobody);
            }

            isOpen = _watch.IsOpen(listener, _timeout) == true;
        });
        thread.Start();
        thread.Join();
        return isOpen;
    }

    /// <summary>Of the calling thread alone.</summary>
    [LibraryImport("libc", EntryPoint = "setfsuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int SetFileUser(uint id);
}
