using System.Collections.ObjectModel;
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

    /// <summary>What is bound takes the place of what was asked for, and cannot be changed.</summary>
    public void Publish(IEnumerable<string> bound) => _addresses.Publish([.. bound]);

    private static bool IsHttp(string address) =>
        address.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || address.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>The same object before and after the start, because the host keeps it.</summary>
    private sealed class AddressCollection : Collection<string>
    {
        private bool _isBound;

        public void Publish(string[] bound)
        {
            Clear();
            foreach (string address in bound)
            {
                Add(address);
            }

            _isBound = true;
        }

        protected override void InsertItem(int index, string item)
        {
            RefuseWhenBound();
            base.InsertItem(index, item);
        }

        protected override void SetItem(int index, string item)
        {
            RefuseWhenBound();
            base.SetItem(index, item);
        }

        protected override void RemoveItem(int index)
        {
            RefuseWhenBound();
            base.RemoveItem(index);
        }

        protected override void ClearItems()
        {
            RefuseWhenBound();
            base.ClearItems();
        }

        private void RefuseWhenBound()
        {
            if (_isBound)
            {
                throw new InvalidOperationException(
                    "The server has started: its addresses are what it listens on, and cannot be changed.");
            }
        }
    }
}
