using System.Net;

namespace FastCgi.AspNetCore.Transport;

/// <summary>What to listen on: an end point, or a listening socket that was inherited.</summary>
internal sealed record ListenTarget(EndPoint? EndPoint, ulong? Handle)
{
    public int Backlog { get; init; } = 512;

    public UnixFileMode? UnixMode { get; init; }

    public string? UnixOwner { get; init; }

    public string? UnixGroup { get; init; }

    /// <summary>How errors name it.</summary>
    public required string Address { get; init; }
}
