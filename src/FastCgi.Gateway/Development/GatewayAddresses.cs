using FastCgi.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The addresses of both servers as one list: what the host asks for, and after the start what is bound. Redirection to
/// https finds its port here, and the host logs each.
/// </summary>
internal sealed class GatewayAddresses : IServerAddressesFeature
{
    private readonly AddressCollection _addresses = [];

    public ICollection<string> Addresses => _addresses;

    public bool PreferHostingUrls { get; set; }

    public bool HasHttp => _addresses.Any(IsHttp);

    /// <summary>Gives each server what it can listen on.</summary>
    public void Share(IServerAddressesFeature http, IServerAddressesFeature others)
    {
        http.PreferHostingUrls = others.PreferHostingUrls = PreferHostingUrls;
        foreach (string address in _addresses)
        {
            (IsHttp(address) ? http : others).Addresses.Add(address);
        }
    }

    /// <summary>Replaces the requested addresses by the bound ones, which cannot be changed.</summary>
    public void Publish(IEnumerable<string> bound) => _addresses.Publish([.. bound]);

    private static bool IsHttp(string address) =>
        address.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || address.StartsWith("https://", StringComparison.OrdinalIgnoreCase);
}
