using System.Collections;
using System.Collections.Concurrent;
using System.Diagnostics;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// The tags that applications add to the metric of a connection's duration. Any thread, since requests may share a
/// connection. A name has one value, the last: a web server keeps a connection for millions of requests, and each may
/// add it again.
/// </summary>
internal sealed class ConnectionMetricsTags : ICollection<KeyValuePair<string, object?>>
{
    // One lock, and little room: there is one for each connection that is measured.
    private readonly ConcurrentDictionary<string, object?> _tags = new(concurrencyLevel: 1, capacity: 1);

    public int Count => _tags.Count;

    public bool IsReadOnly => false;

    public void Add(KeyValuePair<string, object?> item) => _tags[item.Key] = item.Value;

    public void Clear() => _tags.Clear();

    public bool Contains(KeyValuePair<string, object?> item) => _tags.Contains(item);

    public void CopyTo(KeyValuePair<string, object?>[] array, int arrayIndex) =>
        ((ICollection<KeyValuePair<string, object?>>)_tags).CopyTo(array, arrayIndex);

    public bool Remove(KeyValuePair<string, object?> item) => _tags.TryRemove(item);

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() => _tags.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Adds all to <paramref name="tags"/>.</summary>
    public void AddTo(ref TagList tags)
    {
        foreach (KeyValuePair<string, object?> tag in _tags)
        {
            tags.Add(tag);
        }
    }
}
