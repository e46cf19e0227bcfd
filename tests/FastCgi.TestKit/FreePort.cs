using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;

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

    /// <summary>Open until the process ends: a file that one process has open, no other can.</summary>
    private static readonly ConcurrentBag<SafeFileHandle> s_claims = [];

    /// <summary>A runtime that ends closes no files, so those would stay in the folder.</summary>
    static FreePort() => AppDomain.CurrentDomain.ProcessExit += static (_, _) =>
    {
        foreach (var claim in s_claims)
        {
            claim.Dispose();
        }
    };

    /// <summary>A port that nobody has now, and nobody else gets from here while this process runs.</summary>
    public static int Take()
    {
        while (true)
        {
            var port = Random.Shared.Next(Lowest, FirstOfClients);
            if (TryClaim(port) && IsFree(port))
            {
                return port;
            }
        }
    }

    /// <summary>False where this process or another has claimed the port.</summary>
    public static bool TryClaim(int port)
    {
        try
        {
            s_claims.Add(File.OpenHandle(
                Path.Combine(Path.GetTempPath(), $"fastcgi-port-{port}"),
                FileMode.OpenOrCreate,
                FileAccess.Write,
                FileShare.None,
                FileOptions.DeleteOnClose));
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
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
