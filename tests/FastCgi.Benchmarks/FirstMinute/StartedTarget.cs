using FastCgi.Benchmarks.Start;

namespace FastCgi.Benchmarks.FirstMinute;

/// <summary>The application of <c>start</c> on one server, with settings of the runtime of its own.</summary>
/// <param name="settings">As <c>TieredPGO=0</c>, the variables DOTNET_TieredPGO and so on; none: the defaults.</param>
internal sealed class StartedTarget(StartBuild build, ServerKind server, IReadOnlyList<string> settings)
    : Target(NameOf(server, settings))
{
    public override TargetProtocol Protocol =>
        server == ServerKind.FastCgi ? TargetProtocol.FastCgi : TargetProtocol.Http;

    public override Task<string?> PrepareAsync() => Task.FromResult<string?>(null);

    public override ProcessCommand Command(TargetSetup setup)
    {
        var command = build.Command(server, setup.SocketPath);
        return settings.Count == 0
            ? command
            : new ProcessCommand(
                "/usr/bin/env",
                [.. settings.Select(static setting => $"DOTNET_{setting}"), command.Program, .. command.Arguments]);
    }

    private static string NameOf(ServerKind server, IReadOnlyList<string> settings) =>
        string.Join('-', [server == ServerKind.FastCgi ? "fastcgi" : "kestrel", .. settings]);
}
