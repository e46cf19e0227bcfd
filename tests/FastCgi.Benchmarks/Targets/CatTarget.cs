namespace FastCgi.Benchmarks.Targets;

/// <summary>
/// cat through a unix socket: bytes moved by read and write, with neither a protocol nor a request. Only for the curves
/// of bytes, whose load it understands without records.
/// </summary>
internal sealed class CatTarget() : Target(TargetName)
{
    public const string TargetName = "cat";

    private static string Program => Path.Combine(PeerDirectory(TargetName), TargetName);

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find("gcc") is not { } compiler)
        {
            return InstalledProgram.IsMissing("gcc", "gcc");
        }

        Description = "bytes moved by read and write of 128 KiB, as cat does between a file and a socket";
        return await BuildAsync(
            new(compiler, "-O2", "-Wall", "-pthread", "-o", Program, "cat.c"), PeerDirectory(TargetName));
    }

    public override ProcessCommand Command(TargetSetup setup) => new(Program, setup.SocketPath);
}
