using System.Net;
using System.Net.Sockets;

namespace FastCgi.Benchmarks.Targets;

/// <summary>Where a target listens: on a unix socket, or on a port of 127.0.0.1.</summary>
internal sealed class BackEndAddress
{
    private readonly EndPoint _endPoint;

    private BackEndAddress(EndPoint endPoint) => _endPoint = endPoint;

    /// <summary>As nginx writes it.</summary>
    public string InNginx => _endPoint is UnixDomainSocketEndPoint ? $"unix:{this}" : ToString();

    /// <exception cref="NotSupportedException">It is a port: for targets that can do no other than unix sockets.</exception>
    public string SocketPath => _endPoint is UnixDomainSocketEndPoint
        ? ToString()
        : throw new NotSupportedException($"{this} is not a unix socket.");

    public int Port => ((IPEndPoint)_endPoint).Port;

    public static BackEndAddress OfSocket(string path) => new(new UnixDomainSocketEndPoint(path));

    /// <summary>Ports that are free now, no two of them the same: all are held until each is known.</summary>
    public static BackEndAddress[] FreePorts(int count)
    {
        TcpListener[] listeners = [.. Enumerable.Range(0, count)
            .Select(static _ => new TcpListener(IPAddress.Loopback, 0))];
        BackEndAddress[] addresses = [.. listeners.Select(static listener =>
        {
            listener.Start();
            return new BackEndAddress(listener.LocalEndpoint);
        })];
        foreach (var listener in listeners)
        {
            listener.Dispose();
        }

        return addresses;
    }

    public async Task<bool> IsListeningAsync()
    {
        bool isUnix = _endPoint is UnixDomainSocketEndPoint;
        using var socket = new Socket(
            _endPoint.AddressFamily, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(_endPoint);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>A path, or an address with its port.</summary>
    public override string ToString() => _endPoint.ToString()!;
}
