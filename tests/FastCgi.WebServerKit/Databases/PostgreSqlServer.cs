using FastCgi.WebServerKit.Network;

namespace FastCgi.WebServerKit.Databases;

/// <summary>
/// Debian's PostgreSQL as a process of its own, with an empty database, on a unix socket or on a machine of a network.
/// </summary>
internal sealed class PostgreSqlServer : IAsyncDisposable
{
    private const string User = "postgres";
    private const string Versions = "/usr/lib/postgresql";

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _process;

    private PostgreSqlServer(WorkDirectory directory, ChildProcess process, string host)
    {
        (_directory, _process) = (directory, process);
        ConnectionString = $"Host={host};Username={User};Database={User}";
    }

    public string ConnectionString { get; }

    /// <param name="machine">Where it runs, on the usual port; null for a unix socket.</param>
    public static async Task<PostgreSqlServer> StartAsync(TestMachine? machine = null)
    {
        var programs = FindPrograms();
        var directory = new WorkDirectory();
        try
        {
            var home = await DatabaseProgram.MakeDirectoryAsync(directory, "postgresql", User);
            var data = Path.Combine(home, "data");
            var (program, arguments) = AsUser(
                Path.Combine(programs, "initdb"),
                ["-D", data, "-U", User, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
            await DatabaseProgram.RunAsync(program, arguments, home);

            if (machine is not null)
            {
                await File.AppendAllTextAsync(Path.Combine(data, "pg_hba.conf"), "host all all 10.0.0.0/24 trust\n");
            }

            // Nothing here has to survive a loss of power.
            (program, arguments) = AsUser(
                Path.Combine(programs, "postgres"),
                ["-D", data, "-k", home, "-c", $"listen_addresses={machine?.Address}",
                    "-c", "fsync=off", "-c", "synchronous_commit=off"]);
            var process = await DatabaseProgram.StartAsync(
                program, arguments, home, "database system is ready to accept connections", machine);
            Assert.True(process is not null, "PostgreSQL ended at its start.");
            return new PostgreSqlServer(directory, process, machine?.Address.ToString() ?? home);
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>Debian keeps the server's programs of each version in a directory of their own.</summary>
    private static string FindPrograms()
    {
        var versions = Directory.Exists(Versions) ? Directory.GetDirectories(Versions) : [];
        return versions.Select(version => Path.Combine(version, "bin"))
            .LastOrDefault(bin => File.Exists(Path.Combine(bin, "initdb")))
            ?? Path.GetDirectoryName(InstalledProgram.Find("initdb"))!;
    }

    private static (string Program, string[] Arguments) AsUser(string program, string[] arguments) =>
        Environment.IsPrivilegedProcess
            ? ("setpriv", [$"--reuid={User}", $"--regid={User}", "--clear-groups", program, .. arguments])
            : (program, arguments);
}
