namespace FastCgi.AspNetCore.Operations.Exit;

/// <summary>
/// The figures by which the server decides to exit. The caller reads <paramref name="Open"/> first and
/// <paramref name="Requests"/> second: a request that comes and goes between two looks shows in the latter.
/// </summary>
/// <param name="Open">Connections that are open, and requests whose application runs.</param>
/// <param name="Requests">Requests since the start.</param>
/// <param name="Memory">Bytes of the process in memory.</param>
internal readonly record struct ExitFigures(long Open, long Requests, long Memory);
