using System.Net;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The environment variables and descriptors that the starter of the process left in it.</summary>
internal sealed record LaunchContext(Func<string, string?> Variable, Func<ulong, bool> IsListeningSocket)
{
    /// <summary>Where a program finds its socket when a web server started it (FastCGI 1.0, section 2.2).</summary>
    private const ulong FastCgiDescriptor = 0;

    public static LaunchContext Current { get; } =
        new(Environment.GetEnvironmentVariable, InheritedSockets.IsListeningSocket);

    public Func<ulong, EndPoint?> ReadAddress { get; init; } = InheritedSockets.ReadAddress;

    /// <summary>Addresses of the web servers that may connect (FastCGI 1.0, section 3.2); null = not said.</summary>
    public string? WebServerAddresses => Variable("FCGI_WEB_SERVER_ADDRS") is { Length: > 0 } text ? text : null;

    /// <summary>The sockets that systemd passed, else the one that spawn-fcgi passes as descriptor 0.</summary>
    public IReadOnlyList<ulong> InheritedListeners()
    {
        IReadOnlyList<ulong> passed = InheritedSockets.FromSystemd(
            Variable("LISTEN_PID"), Variable("LISTEN_FDS"), Environment.ProcessId);
        return passed.Count == 0 && IsListeningSocket(FastCgiDescriptor)
            ? [FastCgiDescriptor]
            : passed;
    }

    /// <summary>The inherited sockets that these endpoints take.</summary>
    public IEnumerable<ulong> FindInherited(IEnumerable<FastCgiListenOptions> endpoints) =>
        from listen in endpoints
        let handle = FindInherited(listen, listen.EndPoint)
        where handle is not null
        select handle.Value;

    /// <summary>The inherited socket that an endpoint takes; null: it has an address to bind.</summary>
    public ulong? FindInherited(FastCgiListenOptions listen, EndPoint? endPoint) =>
        endPoint is null ? listen.FileHandle : FindInherited(endPoint);

    /// <summary>
    /// The inherited socket that listens on an address already; null without one. PHP-FPM does the same.
    /// </summary>
    private ulong? FindInherited(EndPoint endPoint)
    {
        foreach (ulong handle in InheritedListeners())
        {
            if (endPoint.Equals(ReadAddress(handle)))
            {
                return handle;
            }
        }

        return null;
    }

    /// <summary>The addresses of the inherited sockets that no endpoint takes.</summary>
    /// <param name="isTaken">Whether an endpoint takes the socket with this descriptor.</param>
    public IReadOnlyList<string> DescribeUntaken(Func<ulong, bool> isTaken) =>
    [
        .. InheritedListeners()
            .Where(handle => !isTaken(handle))
            .Select(handle => ReadAddress(handle) is { } endPoint
                ? new ListenTarget(endPoint).ToString()
                : $"fd:{handle}"),
    ];
}
