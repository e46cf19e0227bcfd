using System.Collections.ObjectModel;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// The addresses of a server: open until it listens, and read-only while it does. The same object all the time, because
/// the host keeps it.
/// </summary>
internal sealed class AddressCollection : Collection<string>
{
    private bool _isBound;

    /// <summary>What is bound takes the place of what was asked for, and cannot be changed.</summary>
    public void Publish(string[] bound)
    {
        Reopen();
        Clear();
        foreach (string address in bound)
        {
            Add(address);
        }

        _isBound = true;
    }

    /// <summary>The server listens no more.</summary>
    public void Reopen() => _isBound = false;

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
