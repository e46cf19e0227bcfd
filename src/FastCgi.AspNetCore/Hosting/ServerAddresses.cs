using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The addresses feature: open to everybody before the bind, read-only while bound.</summary>
internal sealed class ServerAddresses : IServerAddressesFeature
{
    private readonly AddressCollection _addresses = new();

    public ICollection<string> Addresses => _addresses;

    public bool PreferHostingUrls { get; set; }

    /// <summary>Puts what is really bound in place of what was asked for.</summary>
    public void Publish(IEnumerable<string> bound) => _addresses.Replace([.. bound]);

    public void Reopen() => _addresses.IsBound = false;

    private sealed class AddressCollection : System.Collections.ObjectModel.Collection<string>
    {
        public bool IsBound { get; set; }

        public void Replace(string[] addresses)
        {
            IsBound = false;
            Clear();
            foreach (string address in addresses)
            {
                Add(address);
            }

            IsBound = true;
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
            if (IsBound)
            {
                throw new InvalidOperationException(
                    "The server has started: its addresses are what it listens on, and cannot be changed.");
            }
        }
    }
}
