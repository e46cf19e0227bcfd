namespace FastCgi.WebServerKit.Databases;

/// <summary>Debian's MariaDB as a process of its own, on a free port of 127.0.0.1, with an empty database.</summary>
internal sealed class MariaDbServer : IAsyncDisposable
{
    private const string User = "mysql";
    private const string Database = "blog";
    private const int MaxStarts = 10;

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _process;
    private readonly string _socket;

    private MariaDbServer(WorkDirectory directory, ChildProcess process, string socket, int port)
    {
        (_directory, _process, _socket) = (directory, process, socket);
        Port = port;
        ConnectionString = $"Server=127.0.0.1;Port={port};User ID=root;Database={Database}";
    }

    public string ConnectionString { get; }

    /// <summary>Of 127.0.0.1. The user root has no password.</summary>
    public int Port { get; }

    public static async Task<MariaDbServer> StartAsync()
    {
        var installer = InstalledProgram.Find("mariadb-install-db");
        var program = InstalledProgram.Find("mariadbd");
        var directory = new WorkDirectory();
        try
        {
            var home = await DatabaseProgram.MakeDirectoryAsync(directory, "mariadb", User);
            // At its start MariaDB deletes temporary tables, also those of another one that shares the folder.
            string[] common =
                ["--no-defaults", $"--datadir={Path.Combine(home, "data")}", $"--tmpdir={home}", .. AsUser()];
            await DatabaseProgram.RunAsync(
                installer, [.. common, "--auth-root-authentication-method=normal"], home);
            for (var start = 1; start <= MaxStarts; start++)
            {
                var port = FreePort.Take();
                var socket = Path.Combine(home, "socket");
                string[] arguments =
                [
                    .. common, $"--socket={socket}", "--bind-address=127.0.0.1", $"--port={port}",
                    "--skip-name-resolve", "--skip-log-bin",
                    // Nothing here has to survive a loss of power.
                    "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync",
                ];
                if (await DatabaseProgram.StartAsync(program, arguments, home, "ready for connections.") is { } process)
                {
                    var server = new MariaDbServer(directory, process, socket, port);
                    await server.RunAsync($"CREATE DATABASE {Database} CHARACTER SET utf8mb4", database: "");
                    return server;
                }
            }

            throw new InvalidOperationException($"MariaDB found no free port in {MaxStarts} starts.");
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    /// <summary>Runs a script, by MariaDB's own client.</summary>
    /// <returns>The rows, their fields with tabs between them.</returns>
    public Task<IReadOnlyList<string>> RunAsync(string script, string database = Database) => DatabaseProgram.RunAsync(
        "mariadb",
        [
            "--no-defaults", $"--socket={_socket}", "--user=root", "--default-character-set=utf8mb4",
            "--batch", "--skip-column-names", $"--execute={script}", database,
        ],
        _directory.Path);

    /// <summary>A counter of the whole server, such as <c>Prepared_stmt_count</c>.</summary>
    public async Task<long> ReadStatusAsync(string name)
    {
        var row = Assert.Single(await RunAsync($"SHOW GLOBAL STATUS LIKE '{name}'"));
        return long.Parse(row.Split('\t')[1], CultureInfo.InvariantCulture);
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Dispose();
    }

    private static string[] AsUser() => Environment.IsPrivilegedProcess ? [$"--user={User}"] : [];
}
