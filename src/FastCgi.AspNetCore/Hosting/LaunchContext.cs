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
    public ulong[] InheritedListeners()
    {
        ulong[] passed = InheritedSockets.FromSystemd(
            Variable("LISTEN_PID"), Variable("LISTEN_FDS"), Environment.ProcessId);
        return passed.Length == 0 && IsListeningSocket(FastCgiDescriptor)
            ? [FastCgiDescriptor]
            : passed;
    }

    /// <summary>The inherited sockets that none of these endpoints takes.</summary>
    public IEnumerable<ulong> InheritedWithout(IEnumerable<FastCgiListenOptions> endpoints)
    {
        foreach (ulong handle in InheritedListeners())
        {
            if (!endpoints.Any(listen => FindInherited(listen, listen.EndPoint) == handle))
            {
                yield return handle;
            }
        }
    }

    /// <summary>
    /// The inherited socket that an endpoint takes, also one that listens on its address, as PHP-FPM does; null: the
    /// endpoint has an address to bind.
    /// </summary>
    public ulong? FindInherited(FastCgiListenOptions listen, EndPoint? endPoint)
    {
        if (endPoint is null)
        {
            return listen.FileHandle;
        }

        foreach (ulong handle in InheritedListeners())
        {
            if (endPoint.Equals(ReadAddress(handle)))
            {
                return handle;
            }
        }

        return null;
    }

    /// <summary>The address of an inherited socket, as an endpoint would name it.</summary>
    public string Describe(ulong handle) => ReadAddress(handle) is { } endPoint
        ? new ListenTarget(endPoint).ToString()
        : $"fd:{handle}";
}
