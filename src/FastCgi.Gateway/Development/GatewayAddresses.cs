using FastCgi.AspNetCore.Hosting;
using FastCgi.AspNetCore.Hosting.Configuration;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The addresses of both servers as one list: what the host asks for, and after the start what is bound. Redirection to
/// https finds its port here, and the host logs each.
/// </summary>
internal sealed class GatewayAddresses : ServerAddresses
{
    public bool HasHttp => Addresses.Any(FastCgiAddress.IsHttp);

    /// <summary>Gives each server what it can listen on.</summary>
    public void Share(IServerAddressesFeature http, IServerAddressesFeature others)
    {
        http.PreferHostingUrls = others.PreferHostingUrls = PreferHostingUrls;
        foreach (string address in Addresses)
        {
            (FastCgiAddress.IsHttp(address) ? http : others).Addresses.Add(address);
        }
    }
}
