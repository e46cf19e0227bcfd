namespace FastCgi.Benchmarks.Targets;

/// <summary>A back end that is measured.</summary>
internal abstract class Target(string name)
{
    /// <summary>As it is written in the command line and in the tables.</summary>
    public string Name { get; } = name;

    /// <summary>What it is, with the versions that matter. Known once it is prepared.</summary>
    public string Description { get; protected set; } = "";

    public virtual TargetProtocol Protocol => TargetProtocol.FastCgi;

    /// <summary>What SCRIPT_FILENAME names; its folder is the web server's root.</summary>
    public virtual string Script => Path.Combine(PeerDirectory("php"), "index.php");

    /// <summary>Asked by the load generator itself, without a web server before it.</summary>
    public virtual bool IsAlone => false;

    public sealed override string ToString() => Name;

    /// <summary>Builds what has to be built.</summary>
    /// <returns>Why it cannot be measured here; null when it can.</returns>
    public abstract Task<string?> PrepareAsync();

    /// <summary>How to start it; may write files into the set-up's directory.</summary>
    public abstract ProcessCommand Command(TargetSetup setup);

    /// <summary>Where the sources of a peer are, and where it is built.</summary>
    protected static string PeerDirectory(string peer) => Path.Combine(AppContext.BaseDirectory, "Peers", peer);

    /// <returns>The end of the program's output when it failed; null when it did not.</returns>
    protected static async Task<string?> BuildAsync(ProcessCommand command, string directory)
    {
        var (exitCode, output) = await InstalledProgram.RunAsync(command, directory);
        return exitCode == 0 ? null : $"'{command}' ended with {exitCode}: {output.Split('\n')[^1]}";
    }
}
