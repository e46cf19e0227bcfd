namespace FastCgi.AspNetCore.Server;

/// <summary>Configuration faults, mostly of the web server. Each is logged once, not with every request.</summary>
[Flags]
internal enum ServerWarning
{
    LargeResponseHead = 1,
    HostWithoutPort = 2,
    ParamsMissing = 4,
    CutBody = 8,
    HeadersOfFileLost = 16,
    ForwardingHeader = 32,
    NativeGrpc = 64,
    RemoteAddressUnreadable = 128,
    PhpLeftovers = 256,
    BodyNotSpilled = 512,
}
