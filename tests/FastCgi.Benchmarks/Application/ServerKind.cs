namespace FastCgi.Benchmarks.Application;

internal enum ServerKind
{
    FastCgi,
    Kestrel,
}
