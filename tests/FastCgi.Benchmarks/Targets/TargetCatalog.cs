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

    /// <inheritdoc cref="CopyOfBytes"/>
    public const string Cat = "cat";

    private static readonly (string Name, string Package, string Version) s_gcc = ("gcc", "gcc", "--version");

    public static IReadOnlyList<Target> All { get; } =
    [
        new DotnetTarget(FastCgi, ServerKind.FastCgi),
        new DotnetTarget("scgi", ServerKind.Scgi),
        new DotnetTarget(Kestrel, ServerKind.Kestrel),
        // What FastCGI costs when there is no server and no application.
        new CompiledTarget(
            Floor, "null responder in C, epoll, one thread", s_gcc, ["-O2", "-Wall"], "floor.c"),
        new PhpTarget(),
        new CompiledTarget("go", "net/http/fcgi", ("go", "golang-go", "version"), ["build"], "."),
        new NodeTarget(),
        new MonoTarget(),
    ];

    /// <summary>
    /// cat through a unix socket: bytes moved by read and write, with neither a protocol nor a request. Only for the
    /// curves of bytes, whose load it understands without records.
    /// </summary>
    public static Target CopyOfBytes { get; } = new CompiledTarget(
        Cat,
        "bytes moved by read and write of 128 KiB, as cat does between a file and a socket",
        s_gcc,
        ["-O2", "-Wall", "-pthread"],
        "cat.c");
}
