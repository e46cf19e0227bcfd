using FastCgi.Benchmarks.Processes;

namespace FastCgi.Benchmarks.Targets;

/// <summary>mono-fastcgi-server4, which serves System.Web.</summary>
internal sealed class MonoTarget() : Target("mono")
{
    private string _program = "";

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("fastcgi-mono-server4") is not { } program)
        {
            return "mono-fastcgi-server4 is not installed";
        }

        if (InstalledProgram.Find("mcs") is null)
        {
            return "mcs, which it compiles its application with, is not installed";
        }

        _program = program;
        Description = $"mono-fastcgi-server4, {await InstalledProgram.VersionAsync("mono", "--version")}";
        return null;
    }

    public override ProcessCommand Command(TargetSetup setup) => new(
        _program,
        $"/socket=unix:{setup.SocketPath}",
        $"/applications=/:{PeerDirectory("mono")}",
        "/multiplex=True",
        "/maxconns=4096",
        "/maxreqs=4096");
}
