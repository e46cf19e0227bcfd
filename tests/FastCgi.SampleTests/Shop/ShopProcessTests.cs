namespace FastCgi.SampleTests.Shop;

/// <summary>The shop as a process: wrong settings, a restart, a socket that systemd passed.</summary>
public sealed class ShopProcessTests : IDisposable
{
    private const string Connection = "--ConnectionStrings:Database";

    private static readonly TimeSpan _startDeadline = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory = new();

    [Theory]
    [InlineData("there is no kind of database 'oracle'.", "--Database:Kind", "oracle")]
    [InlineData("there is no kind of database '7'.", "--Database:Kind", "7")]
    [InlineData("--Shared 'yes' is neither true nor false.", "--Shared", "yes")]
    [InlineData("PostgreSql needs a connection string", "--Database:Kind", "postgresql")]
    [InlineData("the connection string is malformed", "--Database:Kind", "mariadb", Connection, "nonsense")]
    [InlineData("the connection string is malformed", Connection, "Colour=blue")]
    [InlineData("the PostgreSql database cannot be used", "--Database:Kind", "postgresql", Connection, "Host=/nowhere")]
    public async Task A_wrong_setting_is_named_in_one_line(string complaint, params string[] settings)
    {
        string[] arguments = [SampleProgram.FileOf("Shop"), "--data", _directory.File("data"), .. settings];
        var (exitCode, log) = await RunAsync(arguments);
        Assert.Equal(1, exitCode);
        Assert.StartsWith("The shop cannot open: ", log, StringComparison.Ordinal);
        Assert.Contains(complaint, log, StringComparison.Ordinal);
        Assert.Single(log.Split('\n'));
    }

    [Fact]
    public async Task A_data_directory_that_cannot_be_written_to_is_named()
    {
        var file = _directory.File("file");
        await File.WriteAllTextAsync(file, "not a directory");
        var (exitCode, log) = await RunAsync([SampleProgram.FileOf("Shop"), "--data", file]);
        Assert.Equal(1, exitCode);
        Assert.Contains($"the data directory {file} is not writable", log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Orders_and_stock_outlive_the_process_and_nothing_is_filled_in_twice()
    {
        var data = _directory.File("data");
        string order;
        await using (var site = await ShopBehindNginx.StartWithAsync(data))
        {
            using var visitor = new ShopVisitor(ServedSample.CreateBrowser(site));
            await visitor.AddAsync("matcha-set", 3);
            order = (await visitor.OrderAsync(ShopVisitor.Address)).Location!;
            Assert.Equal(0, await site.StopAsync());
        }

        await using (var site = await ShopBehindNginx.StartWithAsync(data))
        {
            using var visitor = new ShopVisitor(ServedSample.CreateBrowser(site));
            Assert.Contains("Matcha set", await visitor.ReadAsync(order), StringComparison.Ordinal);
            Assert.Contains("Only 5 left", await visitor.ReadAsync("/item/matcha-set"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Without_an_address_it_serves_the_socket_that_systemd_passes()
    {
        var activator = InstalledProgram.Find("systemd-socket-activate");
        var socket = _directory.File("activated.sock");
        await using var shop = ChildProcess.Start(
            activator,
            ["--listen", socket, "--setenv=DOTNET_ROOT", "--setenv=HOME", "--setenv=TMPDIR",
                "dotnet", SampleProgram.FileOf("Shop"), "--data", _directory.File("data")],
            SampleProgram.FolderOf("Shop"));
        await shop.Log.FirstAsync(line => line.Contains("Listening on", StringComparison.Ordinal)).Within("the socket");

        // The first request starts the program, and waits for it in the socket.
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(socket);
        using var client = TestClient.Create(nginx.EndPoint);
        using var response = await client.GetAsync(new Uri("/", UriKind.Relative))
            .Within("the first page", shop.Log.ToString, _startDeadline);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(0, await shop.StopAsync());
    }

    public void Dispose() => _directory.Dispose();

    private static async Task<(int ExitCode, string Log)> RunAsync(string[] arguments)
    {
        await using var shop = ChildProcess.Start("dotnet", arguments, SampleProgram.FolderOf("Shop"));
        var exitCode = await shop.WaitAsync("the end of a shop that cannot open", _startDeadline);
        return (exitCode, shop.Log.ToString());
    }
}
