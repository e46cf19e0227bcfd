namespace FastCgi.Benchmarks.Targets;

/// <summary>mono-fastcgi-server4, which serves System.Web.</summary>
/// <param name="database">What its application reads; null when it reads nothing.</param>
internal sealed class MonoTarget(string peer = "mono", string? database = null) : Target("mono")
{
    private const string SqliteAssembly = "/usr/lib/mono/gac/Mono.Data.Sqlite";

    private string _program = "";

    public override string Script => Path.Combine(PeerDirectory(peer), "Default.aspx");

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("fastcgi-mono-server4") is not { } program)
        {
            return InstalledProgram.IsMissing("fastcgi-mono-server4", "mono-fastcgi-server4");
        }

        if (InstalledProgram.Find("mcs") is null)
        {
            return InstalledProgram.IsMissing("mcs, which it compiles its application with,", "mono-mcs");
        }

        if (database is not null && !Directory.Exists(SqliteAssembly))
        {
            return InstalledProgram.IsMissing("Mono's assembly Mono.Data.Sqlite", "libmono-sqlite4.0-cil");
        }

        if (!Directory.Exists(PeerDirectory(peer)))
        {
            return $"Peers/{peer} is not there";
        }

        _program = program;
        Description = $"mono-fastcgi-server4, {await InstalledProgram.VersionAsync("mono", "--version")}";
        return null;
    }

    public override ProcessCommand Command(TargetSetup setup) => new(
        "/usr/bin/env",
        [
            .. database is null ? Array.Empty<string>() : [$"SHOP_DATABASE={database}"],
            _program,
            $"/socket=unix:{setup.SocketPath}",
            $"/applications=/:{PeerDirectory(peer)}",
            "/multiplex=True",
            "/maxconns=4096",
            "/maxreqs=4096",
        ]);
}
