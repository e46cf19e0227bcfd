using System.Net.Sockets;

namespace FastCgi.WebServerTests.Instances;

/// <summary>An upload to a slow application, in a process that cannot write temporary files.</summary>
public sealed class TemporaryFolderTests : IAsyncDisposable
{
    private const int BodyLength = 5_000_000;
    private const string Warning = "temporary file";
    private const string NotKept = "A request body does not go to a temporary file";

    private static readonly TimeSpan s_still = TimeSpan.FromMilliseconds(200);

    private readonly WorkDirectory _directory = new();
    private ChildProcess? _process;

    /// <summary>In /proc nobody makes files, not even root.</summary>
    [Theory]
    [InlineData("/nowhere")]
    [InlineData("/proc")]
    public async Task Alone_on_its_connection_the_body_waits_in_the_socket(string folder)
    {
        await StartAsync(folder);
        await using var peer = await ConnectAsync();

        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);
        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);

        Assert.Equal(1, CountOf("Request bodies cannot go to temporary files"));
        Assert.Equal(1, CountOf(NotKept));
    }

    /// <summary>
    /// A limit on the size of each file stands for a small disk: it leaves room for less than the body, or not even for
    /// what the start tries.
    /// </summary>
    [Theory]
    [InlineData(1_000, 0)]
    [InlineData(2, 1)]
    public async Task Alone_on_its_connection_the_body_waits_in_the_socket_when_the_disk_is_full(
        int kilobytes, int warningsAtStart)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Needs ulimit -f.");
        await StartAsync(_directory.Path, kilobytes);
        Assert.Equal(warningsAtStart, CountOf("Request bodies cannot go to temporary files"));
        await using var peer = await ConnectAsync();

        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);
        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);

        Assert.Equal(1, CountOf(NotKept));
        Assert.Empty(Directory.GetFiles(_directory.Path, "fastcgi-body-*"));
    }

    [Fact]
    public async Task Beside_another_request_it_fails_and_the_other_goes_on_when_the_disk_is_full()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Needs ulimit -f.");
        await StartAsync(_directory.Path, 1_000);
        await AssertFailsAloneAsync();
    }

    [Fact]
    public async Task Beside_another_request_it_fails_and_the_other_goes_on()
    {
        await StartAsync("/nowhere");
        await AssertFailsAloneAsync();
    }

    [Fact]
    public async Task With_a_folder_nothing_is_warned_of()
    {
        await StartAsync(_directory.Path);
        await using var peer = await ConnectAsync();

        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);

        Assert.Equal(0, CountOf(Warning));
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }

        _directory.Dispose();
    }

    /// <summary>
    /// The handler reads when it is told to: when the server has taken the whole body past it, or has said that it
    /// cannot and takes no more.
    /// </summary>
    private async Task<CgiResponse> UploadAsync(ScriptedPeer peer)
    {
        var sent = peer.SendRequestAsync(new RequestScript { Method = "POST", Target = "/slow", Body = new byte[BodyLength] });
        var said = _process!.Log.FirstAsync(static line => line.Contains(NotKept, StringComparison.Ordinal));
        await Task.WhenAny(sent, said).Within("the body, or that it is not kept", _process.Log.ToString);
        await Task.Run(() => SpinWait.SpinUntil(() => sent.IsCompleted || !peer.Socket.Poll(s_still, SelectMode.SelectWrite)));
        await using var other = await ConnectAsync();
        await other.RoundTripAsync(new RequestScript { Method = "POST", Target = "/go-on" });
        await sent;
        return await peer.ExpectResponseAsync();
    }

    private async Task AssertFailsAloneAsync()
    {
        await using var peer = await ConnectAsync();
        await peer.SendAsync(new RecordBuilder().Begin(2));

        Assert.Equal(500, (await UploadAsync(peer)).StatusCode);

        await peer.SendAsync(new RecordBuilder().Params(2, new RequestScript().ToParams()).EndParams(2).EndStdin(2));
        Assert.Equal(200, (await peer.ExpectResponseAsync(2)).StatusCode);
    }

    /// <param name="folder">For temporary files.</param>
    /// <param name="kilobytes">The size that no file may exceed.</param>
    private async Task StartAsync(string folder, int? kilobytes = null)
    {
        string[] arguments =
        [
            Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--Instance", "app",
            "--Orders", _directory.File("orders"), "--Logging:LogLevel:Microsoft.AspNetCore=Warning",
            "--FastCgi:Endpoints:App:Url", $"fastcgi://unix:{_directory.File("app.sock")}",
            "--FastCgi:Limits:MaxRequestBufferSize", "100000",
        ];
        var environment = new Dictionary<string, string> { ["TMPDIR"] = folder, ["DOTNET_EnableDiagnostics"] = "0" };
        if (kilobytes is { } most)
        {
            // The limit would also apply to the memory file of the runtime's code, which is larger.
            environment["DOTNET_EnableWriteXorExecute"] = "0";
            _process = ChildProcess.Start(
                "bash",
                ["-c", $"trap '' XFSZ; ulimit -f {most}; exec dotnet \"$@\"", "bash", .. arguments],
                _directory.Path,
                environment);
        }
        else
        {
            _process = ChildProcess.Start("dotnet", arguments, _directory.Path, environment);
        }

        await _process.WaitForStartAsync("the application", TimeSpan.FromSeconds(60));
    }

    private int CountOf(string text) =>
        _process!.Log.Lines.Count(line => line.Contains(text, StringComparison.Ordinal));

    private Task<ScriptedPeer> ConnectAsync() =>
        ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(_directory.File("app.sock")));
}
