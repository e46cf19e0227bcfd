namespace FastCgi.Benchmarks.Targets;

/// <summary>The null responder in C: what FastCGI costs when there is no server and no application.</summary>
internal sealed class FloorTarget() : Target("floor")
{
    private static string Program => Path.Combine(PeerDirectory("floor"), "floor");

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("gcc") is not { } compiler)
        {
            return InstalledProgram.IsMissing("gcc", "gcc");
        }

        string version = await InstalledProgram.VersionAsync(compiler, "--version");
        Description = $"null responder in C, epoll, one thread; {version}";
        return await BuildAsync(new(compiler, "-O2", "-Wall", "-o", Program, "floor.c"), PeerDirectory("floor"));
    }

    public override ProcessCommand Command(TargetSetup setup) => new(Program, setup.SocketPath);
}
