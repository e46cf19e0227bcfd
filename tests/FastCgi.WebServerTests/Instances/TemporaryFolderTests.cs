namespace FastCgi.WebServerTests.Instances;

/// <summary>An upload to a slow application, in a process that cannot write temporary files.</summary>
public sealed class TemporaryFolderTests : InstanceTest
{
    private const int BodyLength = 5_000_000;
    private const string Warning = "temporary file";
    private const string NotKept = "A request body does not go to a temporary file";

    private static readonly TimeSpan s_still = TimeSpan.FromMilliseconds(200);

    /// <summary>In /proc nobody makes files, not even root.</summary>
    [Theory]
    [InlineData("/nowhere")]
    [InlineData("/proc")]
    public async Task Without_a_folder_the_body_waits_in_the_socket_or_fails_alone(string folder)
    {
        await StartInAsync(folder);
        await AssertServedAsync();
        Assert.Equal(1, CountOf("Request bodies cannot go to temporary files"));
    }

    /// <summary>
    /// A limit on the size of each file stands for a small disk: it leaves room for less than the body, or not even for
    /// what the start tries.
    /// </summary>
    [Theory]
    [InlineData(1_000, 0)]
    [InlineData(2, 1)]
    public async Task On_a_full_disk_the_body_waits_in_the_socket_or_fails_alone(int kilobytes, int warningsAtStart)
    {
        await StartInAsync(Files.Path, kilobytes);
        Assert.Equal(warningsAtStart, CountOf("Request bodies cannot go to temporary files"));
        await AssertServedAsync();
        Assert.Empty(Directory.GetFiles(Files.Path, "fastcgi-body-*"));
    }

    [Fact]
    public async Task With_a_folder_nothing_is_warned_of()
    {
        await StartInAsync(Files.Path);
        await using var peer = await ConnectAsync();

        Assert.Equal($"{BodyLength}", (await UploadAsync(peer)).BodyText);

        Assert.Equal(0, CountOf(Warning));
    }

    /// <summary>
    /// Alone on its connection the body waits in the socket. Beside another request it fails, and the other goes on.
    /// </summary>
    private async Task AssertServedAsync()
    {
        await using var alone = await ConnectAsync();
        Assert.Equal($"{BodyLength}", (await UploadAsync(alone)).BodyText);
        Assert.Equal($"{BodyLength}", (await UploadAsync(alone)).BodyText);
        Assert.Equal(1, CountOf(NotKept));

        await using var shared = await ConnectAsync();
        await shared.SendAsync(new RecordBuilder().Begin(2));
        Assert.Equal(500, (await UploadAsync(shared)).StatusCode);
        await shared.SendAsync(new RecordBuilder().Params(2, new RequestScript().ToParams()).EndParams(2).EndStdin(2));
        Assert.Equal(200, (await shared.ExpectResponseAsync(2)).StatusCode);
    }

    /// <summary>
    /// The handler reads when it is told to: when the server has taken the whole body past it, or has said that it
    /// cannot and takes no more.
    /// </summary>
    private async Task<CgiResponse> UploadAsync(ScriptedPeer peer)
    {
        var sent = peer.SendRequestAsync(new RequestScript { Method = "POST", Target = "/slow", Body = new byte[BodyLength] });
        var said = App.Log.FirstAsync(static line => line.Contains(NotKept, StringComparison.Ordinal));
        await Task.WhenAny(sent, said).Within("the body, or that it is not kept", App.Log.ToString);
        await Task.Run(() => SpinWait.SpinUntil(() => sent.IsCompleted || !peer.Socket.Poll(s_still, SelectMode.SelectWrite)));
        await using var other = await ConnectAsync();
        await other.RoundTripAsync(new RequestScript { Method = "POST", Target = "/go-on" });
        await sent;
        return await peer.ExpectResponseAsync();
    }

    /// <param name="kilobytes">The size that no file may exceed.</param>
    private Task StartInAsync(string folder, int? kilobytes = null)
    {
        var environment = new Dictionary<string, string> { ["TMPDIR"] = folder, ["DOTNET_EnableDiagnostics"] = "0" };
        if (kilobytes is not null)
        {
            // The limit would also apply to the memory file of the runtime's code, which is larger.
            environment["DOTNET_EnableWriteXorExecute"] = "0";
        }

        return StartAsync(
            kilobytes is { } most ? $"trap '' XFSZ; ulimit -f {most}" : "true",
            environment,
            "--FastCgi:Limits:MaxRequestBufferSize", "100000");
    }

    private int CountOf(string text) =>
        App.Log.Lines.Count(line => line.Contains(text, StringComparison.Ordinal));
}
