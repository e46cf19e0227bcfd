using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The addresses feature: open to everybody before the bind, read-only while bound.</summary>
internal sealed class ServerAddresses : IServerAddressesFeature
{
    private readonly AddressCollection _addresses = [];

    public ICollection<string> Addresses => _addresses;

    public bool PreferHostingUrls { get; set; }

    public void Publish(IEnumerable<string> bound) => _addresses.Publish([.. bound]);

    /// <summary>Copies the requested addresses, before the bound ones replace them.</summary>
    public ServerAddressesFeature Copy()
    {
        var copy = new ServerAddressesFeature { PreferHostingUrls = PreferHostingUrls };
        foreach (string address in _addresses)
        {
            copy.Addresses.Add(address);
        }

        return copy;
    }

    public void Reopen() => _addresses.Reopen();
}
