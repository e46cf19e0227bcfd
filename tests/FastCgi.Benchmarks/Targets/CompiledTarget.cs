namespace FastCgi.Benchmarks.Targets;

/// <summary>A peer that a compiler makes a program of.</summary>
/// <param name="name">In the tables. Its folder in Peers and its program have the same.</param>
/// <param name="description">What it is; the compiler's version stands behind it.</param>
/// <param name="compiler">Its name, its package on Debian, and the argument that asks for its version.</param>
/// <param name="flags">Before the program's name.</param>
/// <param name="source">Behind it.</param>
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
