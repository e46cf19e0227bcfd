using System.Collections;
using System.Diagnostics;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// What applications add to the metric of a connection's duration. Any thread, since requests may share a connection.
/// A name has one value, the last: a web server keeps a connection for millions of requests, and each may add it again.
/// </summary>
internal sealed class ConnectionMetricsTags : ICollection<KeyValuePair<string, object?>>
{
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly Dictionary<string, object?> _tags = new(StringComparer.Ordinal);

    public int Count
    {
        get
        {
            using (_lock.EnterScope())
            {
                return _tags.Count;
            }
        }
    }

    public bool IsReadOnly => false;

    public void Add(KeyValuePair<string, object?> item)
    {
        using (_lock.EnterScope())
        {
            _tags[item.Key] = item.Value;
        }
    }

    public void Clear()
    {
        using (_lock.EnterScope())
        {
            _tags.Clear();
        }
    }

    public bool Contains(KeyValuePair<string, object?> item)
    {
        using (_lock.EnterScope())
        {
            return _tags.Contains(item);
        }
    }

    public void CopyTo(KeyValuePair<string, object?>[] array, int arrayIndex)
    {
        using (_lock.EnterScope())
        {
            ((ICollection<KeyValuePair<string, object?>>)_tags).CopyTo(array, arrayIndex);
        }
    }

    public bool Remove(KeyValuePair<string, object?> item)
    {
        using (_lock.EnterScope())
        {
            return ((ICollection<KeyValuePair<string, object?>>)_tags).Remove(item);
        }
    }

    /// <summary>Of a copy: others may add meanwhile.</summary>
    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        using (_lock.EnterScope())
        {
            return _tags.ToList().GetEnumerator();
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Adds all to <paramref name="tags"/>.</summary>
    public void AddTo(ref TagList tags)
    {
        using (_lock.EnterScope())
        {
            foreach (KeyValuePair<string, object?> tag in _tags)
            {
                tags.Add(tag);
            }
        }
    }
}
