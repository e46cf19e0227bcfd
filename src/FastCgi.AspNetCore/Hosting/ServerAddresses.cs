using System.Collections;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// The addresses of a server: writable until it listens, then read-only. Always the same object, because the host keeps
/// it. A reader sees the addresses either before or after a change.
/// </summary>
internal class ServerAddresses : IServerAddressesFeature, ICollection<string>
{
    private volatile string[] _addresses = [];
    private bool _isBound;

    public ICollection<string> Addresses => this;

    public bool PreferHostingUrls { get; set; }

    public int Count => _addresses.Length;

    public bool IsReadOnly => false;

    /// <summary>Replaces the requested addresses with the bound ones, which are read-only.</summary>
    public void Publish(IEnumerable<string> bound)
    {
        _addresses = [.. bound];
        _isBound = true;
    }

    /// <summary>Copies the requested addresses, before the bound ones replace them.</summary>
    public ServerAddressesFeature Copy()
    {
        var copy = new ServerAddressesFeature { PreferHostingUrls = PreferHostingUrls };
        Array.ForEach(_addresses, copy.Addresses.Add);
        return copy;
    }

    public void Reopen() => _isBound = false;

    public void Add(string item)
    {
        RefuseWhenBound();
        _addresses = [.. _addresses, item];
    }

    public void Clear()
    {
        RefuseWhenBound();
        _addresses = [];
    }

    public bool Remove(string item)
    {
        RefuseWhenBound();
        List<string> others = [.. _addresses];
        bool isRemoved = others.Remove(item);
        _addresses = [.. others];
        return isRemoved;
    }

    public bool Contains(string item) => _addresses.Contains(item);

    public void CopyTo(string[] array, int arrayIndex) => _addresses.CopyTo(array, arrayIndex);

    public IEnumerator<string> GetEnumerator() => ((IEnumerable<string>)_addresses).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private void RefuseWhenBound()
    {
        if (_isBound)
        {
            throw new InvalidOperationException(
                "The server has started: its addresses are what it listens on, and cannot be changed.");
        }
    }
}
