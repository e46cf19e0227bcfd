using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The params of one request: bytes and an index. Decoded only on demand.</summary>
/// <remarks>
/// <para>
/// One object serves many requests, one after the other. Web servers repeat most params from request to request, so a
/// decoded string is kept and returned again while the bytes stay the same.
/// </para>
/// <para>
/// If several params have one name, the last one counts. In header fields (<c>HTTP_*</c>) each one is a separate line.
/// An empty value counts as no value, except in header fields.
/// </para>
/// </remarks>
internal sealed class CgiParams(bool disableStringReuse = false, bool allowForwardedHeaders = false)
{
    private const string ForwardedPrefix = "X-Forwarded";
    private const string OriginalPrefix = "X-Original-";

    /// <summary>With more params, names are found by binary search, so that no peer can slow it down.</summary>
    private const int MaxScannedCount = 48;

    /// <summary>Limit of the unknown params whose strings are kept.</summary>
    private const int MaxReusedCount = 128;

    private readonly int[] _known = new int[ParamNames.ParamCount];
    private readonly ReusedStrings _knownStrings = new(disableStringReuse ? 0 : ParamNames.ParamCount);
    private readonly ReusedStrings _otherStrings = new(disableStringReuse ? 0 : MaxReusedCount);
    private readonly ReusedStrings _otherNames = new(disableStringReuse ? 0 : MaxReusedCount);
    private byte[] _buffer = [];
    private ParamEntry[] _entries = new ParamEntry[64];
    private int _count;

    // The number of requests whose params have come. The index is valid for the same generation only.
    private volatile int _generation;
    private volatile ParamIndex? _index;

    /// <summary>The number of params, including repeated ones.</summary>
    public int Count => _count;

    /// <summary>The number of header lines that have a value.</summary>
    public int HeaderCount { get; private set; }

    /// <summary>The total size of the header lines with a value, in bytes, as in HTTP/1.1.</summary>
    public int HeadersTotalSize { get; private set; }

    /// <summary>True if CONTENT_LENGTH came more than once with different values.</summary>
    public bool HasConflictingContentLength { get; private set; }

    /// <summary>The index of the last forwarding header that is hidden from the application; -1 if none.</summary>
    public int LastForwarding { get; private set; } = -1;

    /// <summary>Sets the buffer for the offsets of all params, including those already added.</summary>
    /// <remarks>The caller keeps the buffer, and must not change it until <see cref="Clear"/>.</remarks>
    public void SetBuffer(byte[] buffer) => _buffer = buffer;

    /// <summary>Adds a param by the position of its name and value in the buffer.</summary>
    public void Add(int nameOffset, int nameLength, int valueOffset, int valueLength)
    {
        if (nameLength == 0)
        {
            return;
        }

        if (_count == _entries.Length)
        {
            // Array.Resize over our own type would be compiled at the first request.
            var larger = new ParamEntry[_entries.Length * 2];
            Array.Copy(_entries, larger, _count);
            _entries = larger;
        }

        ref var entry = ref _entries[_count];
        var name = _buffer.AsSpan(nameOffset, nameLength);
        // The name that the last request had at this index: web servers keep the same order.
        var known = entry.Known;
        if (known == KnownParam.None || !name.SequenceEqual(ParamNames.NameOf(known)))
        {
            known = ParamNames.Recognise(name);
        }

        var isHeader = known == KnownParam.None
            ? nameLength > ParamNames.HeaderPrefix.Length && name.StartsWith(ParamNames.HeaderPrefix)
            : known >= KnownParam.HttpHost;
        var isForwarding = false;
        if (isHeader || known == KnownParam.ContentType)
        {
            // nginx does not remove the tabs around a header value.
            (valueOffset, valueLength) = Trim(_buffer, valueOffset, valueLength);
        }

        if (isHeader && valueLength > 0)
        {
            HeaderCount++;

            // "Name: value" and the line end, for a name without its prefix.
            HeadersTotalSize += nameLength - ParamNames.HeaderPrefix.Length + valueLength + 4;
            isForwarding = !allowForwardedHeaders
                && IsForwardingHeader(known, name[ParamNames.HeaderPrefix.Length..]);
            if (isForwarding)
            {
                LastForwarding = _count;
            }
        }

        entry = new ParamEntry(nameOffset, nameLength, valueOffset, valueLength, known)
        {
            IsHeader = isHeader,
            IsForwarding = isForwarding,
        };
        if (known != KnownParam.None)
        {
            ref var last = ref _known[(int)known];
            if (known == KnownParam.ContentLength && last != 0)
            {
                var former = ValueOf(_entries[last - 1]);
                HasConflictingContentLength |=
                    !former.IsEmpty && valueLength > 0 && !former.SequenceEqual(ValueOf(entry));
            }

            entry.Previous = last;
            last = _count + 1;
        }

        _count++;
    }

    /// <summary>Marks the params as complete. From now on reads change no shared state: any thread may read.</summary>
    public void Complete() => _generation++;

    /// <summary>Drops the params, and keeps the strings for the next request.</summary>
    public void Clear()
    {
        _index = null;
        Array.Clear(_known);
        _buffer = [];
        _count = 0;
        HeaderCount = 0;
        HeadersTotalSize = 0;
        HasConflictingContentLength = false;
        LastForwarding = -1;
    }

    /// <summary>The value of the last param with this name; empty if absent.</summary>
    public ReadOnlySpan<byte> GetBytes(KnownParam param)
    {
        var place = _known[(int)param];
        return place == 0 ? default : ValueOf(_entries[place - 1]);
    }

    /// <summary>True if the param came with a value.</summary>
    public bool Has(KnownParam param) => !GetBytes(param).IsEmpty;

    /// <summary>True if the param came, with or without a value.</summary>
    public bool IsSent(KnownParam param) => _known[(int)param] != 0;

    public bool IsRepeated(KnownParam param) => _known[(int)param] is > 0 and var i && _entries[i - 1].Previous != 0;

    /// <summary>The value of the last param with this name; null if absent or empty.</summary>
    public string? GetString(KnownParam param, Encoding? encoding = null)
    {
        var bytes = GetBytes(param);
        return bytes.IsEmpty ? null : _knownStrings.Get((int)param, bytes, encoding);
    }

    /// <summary>The lines of a header field, except empty ones.</summary>
    public StringValues GetHeader(KnownParam param, Encoding? encoding) =>
        IsRepeated(param) ? GetKnownLines(_known[(int)param], encoding) : GetString(param, encoding);

    /// <summary>The lines of a header field that is no known param, except empty and forwarding ones.</summary>
    public StringValues GetHeader(string headerName, Encoding? encoding) =>
        HeaderValidation.IndexOfNonToken(headerName) >= 0
            ? default
            : GetOtherHeader(headerName, encoding, forwarding: false);

    /// <summary>
    /// The last value of any param by name, as UTF-8; null if absent. An exact match of the name wins over one that
    /// differs in case. The lines of a header field are joined, but for Host the last one counts.
    /// </summary>
    public string? GetServerVariable(string name)
    {
        var found = FindLast(name);
        if (found < 0)
        {
            return null;
        }

        ref readonly var entry = ref _entries[found];
        if (entry.IsHeader)
        {
            StringValues lines = entry.Known switch
            {
                KnownParam.None =>
                    GetOtherHeader(HeaderNameText.Restore(HeaderPartOf(entry)), encoding: null, entry.IsForwarding),
                KnownParam.HttpHost => GetString(entry.Known),
                _ => GetHeader(entry.Known, encoding: null),
            };
            return lines.Count > 1 ? ParamNames.JoinLines(entry.Known, lines) : lines.ToString();
        }

        return entry.Known != KnownParam.None ? GetString(entry.Known)
            : entry.ValueLength == 0 ? null
            : GetOther(found, encoding: null);
    }

    /// <summary>The last value of any param by name; empty if absent.</summary>
    public ReadOnlySpan<byte> GetBytes(string name)
    {
        var found = FindLast(name);
        return found < 0 ? default : ValueOf(_entries[found]);
    }

    public ReadOnlySpan<byte> NameAt(int index) => NameOf(EntryAt(index));

    public ReadOnlySpan<byte> ValueAt(int index) => ValueOf(EntryAt(index));

    /// <summary>The indices of all params by name, with equal names adjacent; see <see cref="ParamIndex"/>.</summary>
    public ReadOnlySpan<int> Order => GetIndex().Order;

    public ref readonly ParamEntry EntryAt(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, _count);
        return ref _entries[index];
    }

    /// <summary>Adds the header fields that <see cref="ParamNames"/> does not know, except forwarding ones.</summary>
    public void CopyOtherHeadersTo(Dictionary<string, StringValues> destination, Func<string, Encoding?>? selector)
    {
        var order = Order;
        for (var start = 0; start < order.Length;)
        {
            ref readonly var first = ref _entries[order[start]];
            var end = start + 1;
            while (end < order.Length && ParamIndex.AreEqual(NameOf(first), NameOf(_entries[order[end]])))
            {
                end++;
            }

            var places = order[start..end];
            start = end;
            if (FindLine(places) is >= 0 and var line && GetOtherName(line) is { } name
                && !ParamNames.TryGetParam(name, out _))
            {
                destination[name] = GetLines(places, selector?.Invoke(name), forwarding: false);
            }
        }
    }

    /// <summary>Removes the whitespace around a value (RFC 9110, section 5.5).</summary>
    private static (int Offset, int Length) Trim(byte[] buffer, int offset, int length)
    {
        while (length > 0 && IsBlank(buffer[offset]))
        {
            offset++;
            length--;
        }

        while (length > 0 && IsBlank(buffer[offset + length - 1]))
        {
            length--;
        }

        return (offset, length);
    }

    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t';

    private int FindLast(string name)
    {
        Span<byte> bytes = stackalloc byte[128];
        return Encoding.UTF8.TryGetBytes(name, bytes, out var length)
            ? FindLast(bytes[..length])
            : FindLast(Encoding.UTF8.GetBytes(name));
    }

    private int FindLast(ReadOnlySpan<byte> name)
    {
        var known = ParamNames.Recognise(name);
        if (known != KnownParam.None)
        {
            return _known[(int)known] - 1;
        }

        var found = -1;
        if (_count <= MaxScannedCount)
        {
            for (var place = 0; place < _count; place++)
            {
                found = BetterFit(name, found, place);
            }
        }
        else
        {
            foreach (var place in GetIndex().Find(name))
            {
                found = BetterFit(name, found, place);
            }
        }

        return found;
    }

    /// <summary>The candidate if its name is equal, or differs in case only and no better one was found.</summary>
    private int BetterFit(ReadOnlySpan<byte> name, int found, int candidate)
    {
        var candidateName = NameOf(_entries[candidate]);
        if (candidateName.SequenceEqual(name))
        {
            return candidate;
        }

        var isFit = Ascii.EqualsIgnoreCase(candidateName, name)
            && (found < 0 || !NameOf(_entries[found]).SequenceEqual(name));
        return isFit ? candidate : found;
    }

    /// <summary>The first index of a line that the application sees; -1 if none.</summary>
    private int FindLine(ReadOnlySpan<int> places)
    {
        foreach (var place in places)
        {
            if (_entries[place].IsOtherLine(forwarding: false))
            {
                return place;
            }
        }

        return -1;
    }

    private StringValues GetOtherHeader(string headerName, Encoding? encoding, bool forwarding)
    {
        var count = _count;
        if (count > MaxScannedCount)
        {
            var cgiName = Encoding.UTF8.GetBytes("HTTP_" + headerName);
            return GetLines(GetIndex().Find(cgiName), encoding, forwarding);
        }

        Span<int> places = stackalloc int[MaxScannedCount];
        var found = 0;
        for (var i = 0; i < count; i++)
        {
            ref readonly var entry = ref _entries[i];
            if (entry.IsOtherLine(forwarding) && HeaderNameText.Matches(headerName, HeaderPartOf(entry)))
            {
                places[found++] = i;
            }
        }

        return GetLines(places[..found], encoding, forwarding);
    }

    /// <summary>
    /// The index of the current params. A late reader may create one while the next request's params arrive. It has the
    /// older generation, so the next request never uses it.
    /// </summary>
    private ParamIndex GetIndex()
    {
        var generation = _generation;
        var index = _index;
        if (index?.Generation != generation)
        {
            _index = index = new ParamIndex(_buffer, _entries, _count, generation);
        }

        return index;
    }

    private StringValues GetLines(ReadOnlySpan<int> places, Encoding? encoding, bool forwarding)
    {
        var count = 0;
        foreach (var place in places)
        {
            count += _entries[place].IsOtherLine(forwarding) ? 1 : 0;
        }

        var lines = count > 1 ? new string[count] : null;
        var next = 0;
        foreach (var place in places)
        {
            if (!_entries[place].IsOtherLine(forwarding))
            {
                continue;
            }

            var line = GetOther(place, encoding);
            if (lines is null)
            {
                return line;
            }

            lines[next++] = line;
        }

        return lines;
    }

    private StringValues GetKnownLines(int last, Encoding? encoding)
    {
        var count = 0;
        for (var place = last; place != 0; place = _entries[place - 1].Previous)
        {
            count += _entries[place - 1].ValueLength > 0 ? 1 : 0;
        }

        if (count == 0)
        {
            return default;
        }

        var lines = new string[count];
        for (var place = last; place != 0; place = _entries[place - 1].Previous)
        {
            if (_entries[place - 1].ValueLength > 0)
            {
                lines[--count] = GetOther(place - 1, encoding);
            }
        }

        return lines.Length == 1 ? lines[0] : lines;
    }

    private string GetOther(int index, Encoding? encoding) =>
        _otherStrings.Get(index, ValueOf(_entries[index]), encoding);

    private string? GetOtherName(int index)
    {
        var cgiName = HeaderPartOf(_entries[index]);
        return cgiName.ContainsAnyExcept(HeaderValidation.TokenBytes)
            ? null
            : _otherNames.GetHeaderName(index, cgiName);
    }

    public ReadOnlySpan<byte> NameOf(in ParamEntry entry) => _buffer.AsSpan(entry.NameOffset, entry.NameLength);

    private ReadOnlySpan<byte> HeaderPartOf(in ParamEntry entry) =>
        NameOf(entry)[ParamNames.HeaderPrefix.Length..];

    private ReadOnlySpan<byte> ValueOf(in ParamEntry entry) => _buffer.AsSpan(entry.ValueOffset, entry.ValueLength);

    /// <summary>
    /// True for a header in which a proxy describes a client: <c>Forwarded</c>, <c>X-Forwarded-*</c>, <c>X-Real-IP</c>
    /// and <c>X-Original-*</c>. FastCGI does not need them, and web servers pass on those that a client sends.
    /// </summary>
    /// <param name="param">The param, or <see cref="KnownParam.None"/>.</param>
    /// <param name="cgiName">The name of the param, without <c>HTTP_</c>.</param>
    private static bool IsForwardingHeader(KnownParam param, ReadOnlySpan<byte> cgiName) => param == KnownParam.None
        ? cgiName.Length >= "FORWARDED".Length && IsForwardingHeader(cgiName)
        : param is >= KnownParam.HttpForwarded and <= KnownParam.HttpXForwardedPrefix;

    private static bool IsForwardingHeader(ReadOnlySpan<byte> cgiName) =>
        HeaderNameText.Matches("Forwarded", cgiName)
        || HeaderNameText.Matches("X-Real-IP", cgiName)
        || (StartsWith(cgiName, ForwardedPrefix)
            && (cgiName.Length == ForwardedPrefix.Length
                || cgiName[ForwardedPrefix.Length] is (byte)'_' or (byte)'-'))
        || StartsWith(cgiName, OriginalPrefix);

    private static bool StartsWith(ReadOnlySpan<byte> cgiName, string prefix) =>
        cgiName.Length >= prefix.Length && HeaderNameText.Matches(prefix, cgiName[..prefix.Length]);

    /// <summary>The last string of each index, returned again while the bytes stay the same.</summary>
    /// <param name="limit">Strings from this index on are not kept.</param>
    private sealed class ReusedStrings(int limit)
    {
        private const int FirstCount = 16;

        private string?[] _kept = [];

        /// <summary>The bytes as text; UTF-8 without an encoding.</summary>
        public string Get(int place, ReadOnlySpan<byte> bytes, Encoding? encoding) =>
            KeptAt(place) is { } kept && kept.Length == bytes.Length && Ascii.Equals(bytes, kept)
                && ExtendsAscii(encoding)
                ? kept
                : Keep(place, (encoding ?? Encoding.UTF8).GetString(bytes));

        /// <summary>The usual spelling of a header field's CGI name.</summary>
        public string GetHeaderName(int place, ReadOnlySpan<byte> cgiName) =>
            KeptAt(place) is { } kept && HeaderNameText.Matches(kept, cgiName)
                ? kept
                : Keep(place, HeaderNameText.Restore(cgiName));

        private string? KeptAt(int place)
        {
            string?[] kept = _kept;
            return place < kept.Length ? kept[place] : null;
        }

        /// <summary>Any thread may keep a string. If two do so at once, one of the strings may be lost.</summary>
        private string Keep(int place, string value)
        {
            if (place >= limit)
            {
                return value;
            }

            string?[] kept = _kept;
            if (place >= kept.Length)
            {
                string?[] larger = new string?[Math.Min(Math.Max(FirstCount, 2 * place), limit)];
                kept.CopyTo(larger, 0);
                _kept = kept = larger;
            }

            kept[place] = value;
            return value;
        }

        // In each of these encodings, bytes that are equal as ASCII are the same text.
        private static bool ExtendsAscii(Encoding? encoding) =>
            encoding is null || ReferenceEquals(encoding, Encoding.UTF8) || ReferenceEquals(encoding, Encoding.Latin1);
    }
}

/// <summary>The position of one param in the buffer, and its properties.</summary>
internal struct ParamEntry(int nameOffset, int nameLength, int valueOffset, int valueLength, KnownParam known)
{
    public readonly int NameOffset = nameOffset;
    public readonly int NameLength = nameLength;
    public readonly int ValueOffset = valueOffset;
    public readonly int ValueLength = valueLength;
    public readonly KnownParam Known = known;

    /// <summary>True if the name begins with <c>HTTP_</c>.</summary>
    public readonly bool IsHeader { get; init; }

    /// <summary>True for a forwarding header that applications do not see.</summary>
    public readonly bool IsForwarding { get; init; }

    /// <summary>The index + 1 of the previous param with the same known name; 0 if none.</summary>
    public int Previous;

    /// <summary>True for a non-empty line of a header field that is no known param.</summary>
    public readonly bool IsOtherLine(bool forwarding) =>
        IsHeader && Known == KnownParam.None && ValueLength > 0 && IsForwarding == forwarding;
}
