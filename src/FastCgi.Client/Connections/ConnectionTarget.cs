using System.Net.Sockets;

namespace FastCgi.Client.Connections;

/// <summary>The target of connections: a socket address, or the result of the connect callback.</summary>
internal sealed class ConnectionTarget
{
    private ConnectionTarget(string name, EndPoint? endPoint, FastCgiEndpointProtocol protocol) =>
        (Name, EndPoint, Protocol) = (name, endPoint, protocol);

    /// <summary>The target as the user wrote it, for messages.</summary>
    public string Name { get; }

    /// <summary>Null if only the connect callback knows the address.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The protocol of the scheme.</summary>
    public FastCgiEndpointProtocol Protocol { get; }

    /// <summary>The host in metrics: the TCP host, or the path of a unix socket.</summary>
    public string Host => EndPoint switch
    {
        IPEndPoint ip => ip.Address.ToString(),
        DnsEndPoint dns => dns.Host,
        UnixDomainSocketEndPoint unix => unix.ToString(),
        _ => Name,
    };

    /// <summary>The port in metrics; null for a unix socket.</summary>
    public int? Port => EndPoint switch
    {
        IPEndPoint ip => ip.Port,
        DnsEndPoint dns => dns.Port,
        _ => null,
    };

    /// <exception cref="FormatException">The text is not an address to connect to.</exception>
    public static ConnectionTarget From(string endpoint, bool hasCallback)
    {
        if (FastCgiEndpoint.TryParse(endpoint, out FastCgiEndpoint? address, out string? reason))
        {
            try
            {
                return new ConnectionTarget(endpoint, EndPointOf(endpoint, address), address.Protocol);
            }
            catch (FormatException) when (hasCallback)
            {
            }
        }
        else if (!hasCallback)
        {
            throw Invalid(endpoint, reason);
        }

        return new ConnectionTarget(
            endpoint.Length == 0 ? "the stream of the connect callback" : endpoint,
            null,
            endpoint.StartsWith("scgi://", StringComparison.OrdinalIgnoreCase)
                ? FastCgiEndpointProtocol.Scgi
                : FastCgiEndpointProtocol.FastCgi);
    }

    private static EndPoint EndPointOf(string endpoint, FastCgiEndpoint address)
    {
        if (address.SocketPath is { } path)
        {
            try
            {
                return new UnixDomainSocketEndPoint(path);
            }
            catch (ArgumentException exception)
            {
                throw Invalid(endpoint, exception.Message);
            }
        }

        if (address.Host is not { } host)
        {
            throw Invalid(endpoint, "a descriptor is for the end that listens");
        }

        if (address.Port == 0)
        {
            throw Invalid(endpoint, "a connection needs a port from 1 to 65535");
        }

        if (host is "*" or "+")
        {
            throw Invalid(endpoint, $"'{host}' names all addresses, and a connection needs one");
        }

        if (IPAddress.TryParse(host, out IPAddress? ip))
        {
            return new IPEndPoint(ip, address.Port);
        }

        return Uri.CheckHostName(host) == UriHostNameType.Dns
            ? new DnsEndPoint(host, address.Port)
            : throw Invalid(endpoint, $"'{host}' is neither an IP address (of IPv6: [::1]) nor a host name");
    }

    private static FormatException Invalid(string endpoint, string reason) => new(
        $"The endpoint '{endpoint}' cannot be connected to: {reason}. Write it like unix:/run/app/app.sock, " +
        "127.0.0.1:9000, [::1]:9000, fastcgi://host:9000, or scgi:// in front of any of these for SCGI.");
}
