namespace FastCgi.AspNetCore.Hosting;

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
