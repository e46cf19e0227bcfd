namespace FastCgi.Benchmarks.Targets;

/// <summary>node-fastcgi, from the npm registry.</summary>
internal sealed class NodeTarget() : Target("node")
{
    private string _program = "";

    public override async Task<string?> PrepareAsync()
    {
        string directory = PeerDirectory("node");
        string package = Path.Combine(directory, "node_modules", "node-fastcgi");
        if (InstalledProgram.Find("node") is not { } program)
        {
            return InstalledProgram.IsMissing("node", "nodejs");
        }

        _program = program;
        if (!Directory.Exists(package))
        {
            if (InstalledProgram.Find("npm") is not { } npm)
            {
                return InstalledProgram.IsMissing("npm", "npm");
            }

            if (await BuildAsync(new(npm, "install", "--no-audit", "--no-fund"), directory) is { } failure)
            {
                return failure;
            }
        }

        Description = $"node-fastcgi, node {await InstalledProgram.VersionAsync(program, "--version")}";
        return null;
    }

    public override ProcessCommand Command(TargetSetup setup) =>
        new(_program, Path.Combine(PeerDirectory("node"), "server.js"), $"{setup.Address}");
}
