using System.Collections;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The header fields of a response: a short list that is searched from its beginning.</summary>
/// <remarks>Names and values are checked when set, so that the stack trace shows the faulty code.</remarks>
internal sealed class ResponseHeaderDictionary(Func<string, Encoding?>? encodingSelector = null) : IHeaderDictionary
{
    private const int FirstSize = 4;

    private Entry[] _entries = [];
    private int _count;
    private long? _contentLength;
    private bool _isFrozen;

    /// <exception cref="InvalidOperationException">Set: frozen, or the name or the value is invalid.</exception>
    public StringValues this[string key]
    {
        get => TryGetValue(key, out var value) ? value : StringValues.Empty;
        set => Set(key, value);
    }

    /// <summary>The length of the body, in bytes; null if the application has not set it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Set: below 0.</exception>
    /// <exception cref="InvalidOperationException">Set: the headers are frozen.</exception>
    public long? ContentLength
    {
        get => _contentLength;
        set
        {
            RequireUnfrozen();
            ArgumentOutOfRangeException.ThrowIfNegative(value.GetValueOrDefault(), nameof(value));
            _contentLength = value;
        }
    }

    public int Count => _count + (_contentLength is null ? 0 : 1);

    /// <summary>True if the response has started.</summary>
    public bool IsReadOnly => _isFrozen;

    public ICollection<string> Keys => [.. this.Select(static header => header.Key)];

    public ICollection<StringValues> Values => [.. this.Select(static header => header.Value)];

    /// <summary>The headers without Content-Length.</summary>
    public int EntryCount => _count;

    public ref readonly Entry EntryAt(int index) => ref _entries[index];

    public bool TryGetValue(string key, out StringValues value)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (IsContentLength(key))
        {
            value = ContentLengthText;
            return _contentLength is not null;
        }

        var index = IndexOf(key);
        value = index < 0 ? default : _entries[index].Value;
        return index >= 0;
    }

    public bool ContainsKey(string key) => TryGetValue(key, out _);

    public void Add(string key, StringValues value)
    {
        ArgumentNullException.ThrowIfNull(key);
        RequireUnfrozen();
        if (ContainsKey(key))
        {
            throw new ArgumentException($"The response header '{key}' has been added already.", nameof(key));
        }

        Set(key, value);
    }

    public bool Remove(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        RequireUnfrozen();
        if (IsContentLength(key))
        {
            var hadLength = _contentLength is not null;
            _contentLength = null;
            return hadLength;
        }

        var index = IndexOf(key);
        if (index >= 0)
        {
            _count--;
            Array.Copy(_entries, index + 1, _entries, index, _count - index);
            _entries[_count] = default;
        }

        return index >= 0;
    }

    public void Clear()
    {
        RequireUnfrozen();
        Reset();
    }

    public void Freeze() => _isFrozen = true;

    /// <summary>Clears the headers and makes them writable, for another response to the same request.</summary>
    public void Reset()
    {
        Array.Clear(_entries, 0, _count);
        _count = 0;
        _contentLength = null;
        _isFrozen = false;
    }

    /// <summary>Returns Content-Length first, if set, then the others in the order in which they were set.</summary>
    public IEnumerator<KeyValuePair<string, StringValues>> GetEnumerator()
    {
        if (_contentLength is not null)
        {
            yield return new(HeaderNames.ContentLength, ContentLengthText);
        }

        for (var index = 0; index < _count; index++)
        {
            yield return new(_entries[index].Name, _entries[index].Value);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<KeyValuePair<string, StringValues>>.Add(KeyValuePair<string, StringValues> item) =>
        Add(item.Key, item.Value);

    bool ICollection<KeyValuePair<string, StringValues>>.Contains(KeyValuePair<string, StringValues> item) =>
        TryGetValue(item.Key, out var value) && value == item.Value;

    void ICollection<KeyValuePair<string, StringValues>>.CopyTo(
        KeyValuePair<string, StringValues>[] array, int index) =>
        // ToArray of the dictionary itself would call this method.
        this.Select(static header => header).ToArray().CopyTo(array, index);

    bool ICollection<KeyValuePair<string, StringValues>>.Remove(KeyValuePair<string, StringValues> item) =>
        TryGetValue(item.Key, out var value) && value == item.Value && Remove(item.Key);

    private StringValues ContentLengthText =>
        _contentLength is { } length ? HeaderUtilities.FormatNonNegativeInt64(length) : default(StringValues);

    private void Set(string key, StringValues value)
    {
        ArgumentNullException.ThrowIfNull(key);
        RequireUnfrozen();
        if (value.Count == 0)
        {
            Remove(key);
            return;
        }

        if (IsContentLength(key))
        {
            _contentLength = value.Count == 1 && HeaderUtilities.TryParseNonNegativeInt64(value[0], out var length)
                ? length
                : throw HeaderValidation.InvalidContentLength(value);
            return;
        }

        HeaderValidation.RequireName(key);
        var isAscii = encodingSelector?.Invoke(key) is null;
        foreach (var line in value)
        {
            HeaderValidation.RequireValue(key, line, isAscii);
        }

        var index = IndexOf(key);
        if (index < 0)
        {
            if (_count == _entries.Length)
            {
                var larger = new Entry[Math.Max(FirstSize, _count * 2)];
                Array.Copy(_entries, larger, _count);
                _entries = larger;
            }

            index = _count++;
        }

        _entries[index] = new Entry(key, value);
    }

    private int IndexOf(string key)
    {
        for (var i = 0; i < _count; i++)
        {
            var candidate = _entries[i].Name;
            if (ReferenceEquals(candidate, key)
                || (candidate.Length == key.Length && candidate.Equals(key, StringComparison.OrdinalIgnoreCase)))
            {
                return i;
            }
        }

        return -1;
    }

    private void RequireUnfrozen()
    {
        if (_isFrozen)
        {
            throw new InvalidOperationException("The response has started, so its headers can no longer change.");
        }
    }

    private static bool IsContentLength(string key) =>
        key.Length == HeaderNames.ContentLength.Length
        && key.Equals(HeaderNames.ContentLength, StringComparison.OrdinalIgnoreCase);

    /// <summary>Not a KeyValuePair, and no spans: .NET has no precompiled code for one with StringValues.</summary>
    internal readonly struct Entry(string name, StringValues value)
    {
        public readonly string Name = name;

        public readonly StringValues Value = value;
    }
}
