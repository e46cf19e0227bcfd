namespace FastCgi.Benchmarks.Targets;

/// <summary>The targets that need no command line.</summary>
internal static class TargetCatalog
{
    /// <summary>This server.</summary>
    public const string FastCgi = "fastcgi";

    /// <summary>What the ratios are to.</summary>
    public const string Kestrel = "kestrel";

    /// <inheritdoc cref="Kestrel"/>
    public const string Floor = "floor";

    public static IReadOnlyList<Target> All { get; } =
    [
        new DotnetTarget(FastCgi, ServerKind.FastCgi),
        new DotnetTarget("scgi", ServerKind.Scgi),
        new DotnetTarget(Kestrel, ServerKind.Kestrel),
        new FloorTarget(),
        new PhpTarget(),
        new GoTarget(),
        new NodeTarget(),
        new MonoTarget(),
    ];
}
