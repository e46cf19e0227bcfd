using System.Net.Sockets;
using System.Text;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>A process and the signals of its service manager, at the moments that are easy to miss.</summary>
public sealed class SignalTests : IAsyncDisposable
{
    private const int Starts = 3;
    private const int Requests = 50;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory = new();
    private ChildProcess? _process;

    /// <summary>systemd may send one as soon as it has read READY, and the default action would end the process.</summary>
    [Fact]
    public async Task SIGHUP_right_behind_READY_is_a_reload()
    {
        var path = _directory.File("notify");
        using var notify = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        notify.ReceiveTimeout = (int)(s_patience * Deadline.Slowness).TotalMilliseconds;
        notify.Bind(new UnixDomainSocketEndPoint(path));
        for (var start = 0; start < Starts; start++)
        {
            Start(new Dictionary<string, string> { ["NOTIFY_SOCKET"] = path });
            var reloaded = Task.Run(() =>
            {
                // Nothing comes between the message and the signal.
                Next(notify, "READY=1");
                _process!.HangUp();
                Next(notify, "RELOADING=1");
                Next(notify, "READY=1");
            });
            await Task.WhenAny(reloaded, _process!.Ended);
            Assert.False(_process.Ended.IsCompleted, "The signal has ended the process.");
            await reloaded;
            Assert.Equal(0, await _process.StopAsync());
        }
    }

    /// <summary>
    /// A thread in the foreground would keep the process. Handlers leave all threads so, and others never give theirs
    /// back.
    /// </summary>
    [Theory, InlineData("Epoll"), InlineData("Sockets")]
    public async Task A_flag_that_a_handler_left_on_a_thread_does_not_keep_the_process(string transport)
    {
        Start(new Dictionary<string, string>
        {
            ["FastCgi__Transport"] = transport, ["shutdownTimeoutSeconds"] = "1",
        });
        await _process!.WaitForStartAsync("the application", s_patience);
        await using var peer = await ConnectAsync();
        for (var request = 0; request < Requests; request++)
        {
            Assert.Equal("app", (await peer.RoundTripAsync(new RequestScript { Target = "/foreground" })).BodyText);
        }

        await using var first = await ConnectAsync();
        await using var second = await ConnectAsync();
        await first.SendRequestAsync(target: "/stuck");
        await second.SendRequestAsync(target: "/stuck");
        await Eventually.HoldsAsync(() => _process.Log.Lines.Count(static line => line == "stuck") == 2, _process.Log.ToString);

        await _process.StopAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }

        _directory.Dispose();
    }

    private Task<ScriptedPeer> ConnectAsync() =>
        ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(_directory.File("app.sock")));

    /// <summary>Skips messages until one begins like this.</summary>
    private static void Next(Socket notify, string begin)
    {
        var buffer = new byte[4096];
        while (!Encoding.UTF8.GetString(buffer, 0, notify.Receive(buffer)).StartsWith(begin, StringComparison.Ordinal))
        {
        }
    }

    private void Start(IReadOnlyDictionary<string, string> environment) => _process = ChildProcess.Start(
        "dotnet",
        [
            Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--Instance", "app",
            "--Orders", _directory.File("orders"),
            "--FastCgi:Endpoints:App:Url", $"fastcgi://unix:{_directory.File("app.sock")}",
        ],
        _directory.Path,
        environment);
}
