using System.Runtime.InteropServices;

namespace FastCgi.Benchmarks.Systems;

/// <summary>A sample, published as it is for production.</summary>
internal sealed class SampleTarget(string name, PublishedSamples samples, string sample) : Target(name)
{
    /// <summary>The program's, besides its address.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>It runs on Kestrel, by the sample's own switch or by <see cref="KestrelInstead"/>.</summary>
    public bool IsOnKestrel { get; init; }

    /// <summary>The sample has no switch of its own.</summary>
    public bool IsSwitchedFromOutside { get; init; }

    /// <summary>No web server before it, which only Kestrel can do.</summary>
    public bool HasNoWebServer { get; init; }

    public override bool IsAlone => HasNoWebServer;

    public override TargetProtocol Protocol => IsOnKestrel ? TargetProtocol.Http : TargetProtocol.FastCgi;

    public override async Task<string?> PrepareAsync()
    {
        string server = IsOnKestrel ? IsAlone ? "Kestrel alone" : "Kestrel behind proxy_pass" : "FastCgi.AspNetCore";
        Description = $"samples/{sample} on {server}, {RuntimeInformation.FrameworkDescription}";
        return await samples.PublishAsync(sample);
    }

    public override ProcessCommand Command(TargetSetup setup)
    {
        string folder = samples.FolderOf(sample);
        string hook = typeof(SampleTarget).Assembly.Location;
        return new ProcessCommand(
            "env",
            [
                .. IsSwitchedFromOutside ? [$"DOTNET_STARTUP_HOOKS={hook}"] : Array.Empty<string>(),
                "dotnet", Path.Combine(folder, $"{sample}.dll"),
                "--contentRoot", folder,
                "--urls", $"{(IsOnKestrel ? "http" : "fastcgi")}://{setup.Address.InNginx}",
                .. Arguments,
            ]);
    }
}
