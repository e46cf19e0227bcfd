namespace FastCgi.Benchmarks.Targets;

/// <summary>A peer that is compiled from the sources in its folder.</summary>
/// <param name="name">The name in the tables, of the folder in Peers and of the program.</param>
/// <param name="description">For the tables, followed by the version of the compiler.</param>
/// <param name="compiler">The compiler, its package on Debian, and its argument to print its version.</param>
internal sealed class CompiledTarget(
    string name,
    string description,
    (string Name, string Package, string Version) compiler,
    string[] flags,
    string source)
    : Target(name)
{
    private string Program => Path.Combine(PeerDirectory(Name), Name);

    public override async Task<string?> PrepareAsync()
    {
        if (InstalledProgram.Find(compiler.Name) is not { } program)
        {
            return InstalledProgram.IsMissing(compiler.Name, compiler.Package);
        }

        Description = $"{description}; {await InstalledProgram.VersionAsync(program, compiler.Version)}";
        return await BuildAsync(new(program, [.. flags, "-o", Program, source]), PeerDirectory(Name));
    }

    public override ProcessCommand Command(TargetSetup setup) => new(Program, setup.SocketPath);
}
