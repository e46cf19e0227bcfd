using FastCgi.AspNetCore.Hosting;
using FastCgi.AspNetCore.Hosting.Configuration;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The addresses of both servers as one list: first the requested ones, after the start the bound ones. Redirection to
/// https finds its port here, and the host logs each address.
/// </summary>
internal sealed class GatewayAddresses : ServerAddresses
{
    public bool HasHttp => Addresses.Any(FastCgiAddress.IsHttp);

    /// <summary>Gives each server the addresses on which it can listen.</summary>
    public void Share(IServerAddressesFeature http, IServerAddressesFeature others)
    {
        http.PreferHostingUrls = others.PreferHostingUrls = PreferHostingUrls;
        foreach (string address in Addresses)
        {
            (FastCgiAddress.IsHttp(address) ? http : others).Addresses.Add(address);
        }
    }
}
