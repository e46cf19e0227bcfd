using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>A process and the signals of its service manager, at the moments that are easy to miss.</summary>
public sealed class SignalTests : InstanceTest
{
    private const int Starts = 3;
    private const int Requests = 50;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <summary>systemd may send one as soon as it has read READY, and the default action would end the process.</summary>
    [Fact]
    public async Task SIGHUP_right_behind_READY_is_a_reload()
    {
        var path = Files.File("notify");
        using var notify = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        notify.ReceiveTimeout = (int)Deadline.Of(s_patience).TotalMilliseconds;
        notify.Bind(new UnixDomainSocketEndPoint(path));
        for (var start = 0; start < Starts; start++)
        {
            Launch("true", new Dictionary<string, string> { ["NOTIFY_SOCKET"] = path }, []);
            var reloaded = Task.Run(() =>
            {
                // Nothing comes between the message and the signal.
                Next(notify, "READY=1");
                App.HangUp();
                Next(notify, "RELOADING=1");
                Next(notify, "READY=1");
            });
            await Task.WhenAny(reloaded, App.Ended);
            Assert.False(App.Ended.IsCompleted, "The signal has ended the process.");
            await reloaded;
            Assert.Equal(0, await App.StopAsync());
        }
    }

    /// <summary>
    /// A thread in the foreground would keep the process. Handlers leave all threads so, and others never give theirs
    /// back.
    /// </summary>
    [Theory, InlineData("Epoll"), InlineData("Sockets")]
    public async Task A_flag_that_a_handler_left_on_a_thread_does_not_keep_the_process(string transport)
    {
        await StartAsync(settings: ["--FastCgi:Transport", transport, "--shutdownTimeoutSeconds", "1"]);
        await using var peer = await ConnectAsync();
        for (var request = 0; request < Requests; request++)
        {
            Assert.Equal("app", (await peer.RoundTripAsync(new RequestScript { Target = "/foreground" })).BodyText);
        }

        await using var first = await ConnectAsync();
        await using var second = await ConnectAsync();
        await first.SendRequestAsync(target: "/stuck");
        await second.SendRequestAsync(target: "/stuck");
        await Eventually.HoldsAsync(() => App.Log.Lines.Count(static line => line == "stuck") == 2, App.Log.ToString);

        await App.StopAsync();
    }

    /// <summary>Skips messages until one begins like this.</summary>
    private static void Next(Socket notify, string begin)
    {
        var buffer = new byte[4096];
        while (!Encoding.UTF8.GetString(buffer, 0, notify.Receive(buffer)).StartsWith(begin, StringComparison.Ordinal))
        {
        }
    }
}
