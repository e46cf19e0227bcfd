namespace FastCgi.Benchmarks.Application;

internal enum ServerKind
{
    FastCgi,
    Scgi,
    Kestrel,
}
