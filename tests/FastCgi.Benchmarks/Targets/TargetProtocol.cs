namespace FastCgi.Benchmarks.Targets;

/// <summary>What the web server speaks to it.</summary>
internal enum TargetProtocol
{
    FastCgi,
    Scgi,
    Http,
}
