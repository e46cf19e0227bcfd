namespace FastCgi.Benchmarks.Systems;

/// <summary>The samples as they are deployed; each is published once in a run.</summary>
internal sealed class PublishedSamples(string directory)
{
    private readonly Dictionary<string, string?> _faults = [];

    /// <summary>Where the sample's files are once it is published.</summary>
    public string FolderOf(string sample) => Path.Combine(directory, sample);

    /// <returns>Why it cannot be run; null when it is published.</returns>
    public async Task<string?> PublishAsync(string sample)
    {
        if (!_faults.TryGetValue(sample, out string? fault))
        {
            fault = await PublishOnceAsync(sample);
            _faults.Add(sample, fault);
        }

        return fault;
    }

    private async Task<string?> PublishOnceAsync(string sample)
    {
        string project = Path.Combine(WebServerKit.Repository.Root, "samples", sample, $"{sample}.csproj");
        if (!File.Exists(project))
        {
            return $"samples/{sample} is not there";
        }

        // No build server: it would go on beside what is measured.
        var (exitCode, output) = await InstalledProgram.RunAsync(new ProcessCommand(
            "dotnet",
            "publish", project, "--configuration", "Release", "--output", FolderOf(sample),
            "--artifacts-path", Path.Combine(directory, $"{sample}.build"),
            "--nologo", "--verbosity", "quiet", "-nodeReuse:false", "-p:UseSharedCompilation=false"));
        return exitCode == 0 ? null : $"samples/{sample} was not published: {output.Split('\n')[^1]}";
    }
}
