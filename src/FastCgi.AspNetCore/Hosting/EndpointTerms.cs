using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// The terms of one endpoint: the options of its connections, and the clients that may connect. A client must be on
/// every existing list: the endpoint's own, and the one that the process was started with (FCGI_WEB_SERVER_ADDRS:
/// FastCGI 1.0, section 3.2), which applies to the endpoints of the application. Unix sockets have modes instead.
/// </summary>
internal sealed class EndpointTerms
{
    private readonly List<ClientAllowList> _lists = [];
    private readonly string _address;
    private readonly LogInterval _refusals;
    private readonly ServerNotices _notices;

    public EndpointTerms(
        FastCgiListenOptions listen, EndPoint bound, LaunchContext launch, TimeProvider time, ServerNotices notices)
    {
        Options = listen;
        _address = FastCgiAddress.Format(bound, listen.Protocol);
        _refusals = new LogInterval(time);
        _notices = notices;
        if (bound is not IPEndPoint)
        {
            return;
        }

        if (listen.AllowedClients.Count > 0)
        {
            _lists.Add(new ClientAllowList(listen.AllowedClients));
        }

        if (WebServersOf(listen, launch) is { } webServers)
        {
            _lists.Add(new ClientAllowList(ReadAll(webServers)));
        }
    }

    public FastCgiListenOptions Options { get; }

    /// <summary>
    /// Refuses an endpoint that is open by mistake, because a peer can claim any client's identity. Also refuses a
    /// setting that has no effect on this kind of endpoint.
    /// </summary>
    /// <exception cref="InvalidOperationException">The endpoint is open to others without an option.</exception>
    public static void RequireMeant(FastCgiListenOptions listen, EndPoint? endPoint, LaunchContext launch)
    {
        if (endPoint is null)
        {
            // An inherited socket. Checked again when its address is known.
            return;
        }

        bool isAbstract = UnixSocketPath.IsAbstract(endPoint);
        string address = FastCgiAddress.Format(endPoint, listen.Protocol);
        if (endPoint is IPEndPoint ip
            && !IPAddress.IsLoopback(ip.Address.IsIPv4MappedToIPv6 ? ip.Address.MapToIPv4() : ip.Address)
            && !listen.AllowAnyClient
            && listen.AllowedClients.Count == 0
            && WebServersOf(listen, launch) is null)
        {
            throw new InvalidOperationException(listen.IsForPages
                ? $"{address} can be reached from other machines, and everybody could read the pages. List the " +
                "clients in FastCgi:Status:AllowedClients (addresses or CIDR), or let FastCgi:Status:Endpoint be on " +
                "127.0.0.1, [::1] or a unix socket."
                : $"{address} can be reached from other machines, and whoever connects may claim any client address, " +
                "user and certificate. Do one of three: list the web servers in AllowedClients (addresses or CIDR; " +
                "or in the environment variable FCGI_WEB_SERVER_ADDRS); listen on 127.0.0.1, [::1] or a unix socket; " +
                "or set AllowAnyClient if the network lets nobody but the web server through.");
        }

        if (isAbstract && !listen.AllowAnyClient)
        {
            throw new InvalidOperationException(listen.IsForPages
                ? $"{address} is an abstract unix socket, so every user of the machine could read the pages. Let " +
                "FastCgi:Status:Endpoint be a unix socket with a path."
                : $"{address} is an abstract unix socket, so every user of the machine can connect and may claim any " +
                "client address, user and certificate. Listen on a path with a UnixMode, or set AllowAnyClient if no " +
                "other user can run programs on the machine.");
        }

        if ((endPoint is not UnixDomainSocketEndPoint || isAbstract) && listen.FileAccessSetting is { } setting)
        {
            throw new InvalidOperationException(
                $"{setting} has no effect on {address}, which has no file. Remove {setting}, or listen on a unix " +
                "socket with a path.");
        }

        if (endPoint is not IPEndPoint && listen.AllowedClients.Count > 0)
        {
            throw new InvalidOperationException(
                $"AllowedClients has no effect on {address}: its clients have no IP address. Remove it. UnixMode, " +
                "UnixOwner and UnixGroup of a unix socket with a path say who may connect.");
        }
    }

    public bool Admits(TransportConnection client)
    {
        if (_lists.Count == 0)
        {
            return true;
        }

        IPAddress? address = (client.RemoteEndPoint as IPEndPoint)?.Address;
        bool isAdmitted = _lists.TrueForAll(list => list.Admits(address));
        if (!isAdmitted && _refusals.TryEnter(out long count))
        {
            _notices.ClientRefused(_address, address, count);
        }

        return isAdmitted;
    }

    /// <summary>True if connections of the earlier terms may continue under these.</summary>
    public bool AllowsConnectionsOf(EndpointTerms before) =>
        Options.Protocol == before.Options.Protocol
        && Options.AllowUpgrade == before.Options.AllowUpgrade
        && Options.AllowedClients.SequenceEqual(before.Options.AllowedClients);

    /// <summary>
    /// The list of allowed web servers that the process was given (FastCGI 1.0, section 3.2). Null if there is none, or
    /// if it does not apply.
    /// </summary>
    private static string? WebServersOf(FastCgiListenOptions listen, LaunchContext launch) =>
        !listen.IsForPages && launch.Variable("FCGI_WEB_SERVER_ADDRS") is { Length: > 0 } text ? text : null;

    /// <summary>Returns no networks if one entry is invalid: a mistyped range must not admit any client.</summary>
    private List<IPNetwork> ReadAll(string webServers)
    {
        var networks = new List<IPNetwork>();
        foreach (string entry in webServers.Split(','))
        {
            if (!FastCgiAddress.TryParseNetwork(entry, out IPNetwork network))
            {
                _notices.InvalidWebServerAddresses(_address, entry);
                return [];
            }

            networks.Add(network);
        }

        return networks;
    }
}

/// <summary>Networks that may connect. An address like <c>::ffff:10.0.0.5</c> counts as IPv4.</summary>
internal sealed class ClientAllowList(IEnumerable<IPNetwork> networks)
{
    private const int MappedBits = 96;

    private readonly IPNetwork[] _networks = [.. networks.Select(Unmap)];

    public bool Admits([NotNullWhen(true)] IPAddress? client)
    {
        if (client is null)
        {
            return false;
        }

        IPAddress address = client.IsIPv4MappedToIPv6 ? client.MapToIPv4() : client;
        return Array.Exists(_networks, network => network.Contains(address));
    }

    /// <summary>A range wider than the mapped addresses means IPv6 clients, never all of IPv4.</summary>
    private static IPNetwork Unmap(IPNetwork network) =>
        network.BaseAddress.IsIPv4MappedToIPv6 && network.PrefixLength >= MappedBits
            ? new IPNetwork(network.BaseAddress.MapToIPv4(), network.PrefixLength - MappedBits)
            : network;
}
