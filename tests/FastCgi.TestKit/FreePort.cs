using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace FastCgi.TestKit;

/// <summary>Ports of 127.0.0.1 for servers that cannot be told to take any, or are to come back on the same one.</summary>
public static class FreePort
{
    private const int Lowest = 10_000;

    /// <summary>
    /// From here on the system gives ports to clients (net.ipv4.ip_local_port_range), which could take one of ours while
    /// its server is down.
    /// </summary>
    private const int FirstOfClients = 32_768;

    private static readonly ConcurrentDictionary<int, bool> s_taken = new();

    /// <summary>A port that nobody has now, and nobody else in this process gets: another process may have it soon.</summary>
    public static int Take()
    {
        while (true)
        {
            var port = Random.Shared.Next(Lowest, FirstOfClients);
            if (s_taken.TryAdd(port, true) && IsFree(port))
            {
                return port;
            }
        }
    }

    private static bool IsFree(int port)
    {
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            probe.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
