namespace FastCgi.AspNetCore.Cgi;

/// <summary>The params sorted by name, for binary search.</summary>
/// <remarks>
/// Sorted, not hashed, because a peer can cause hash collisions. Names that differ only in case, or in a hyphen in
/// place of an underscore, are equal here, because they stand for the same header field. Immutable: a late reader of an
/// ended request cannot damage the index of the next one.
/// </remarks>
internal sealed class ParamIndex
{
    private readonly byte[] _buffer;
    private readonly ParamEntry[] _entries;
    private readonly int[] _order;

    public ParamIndex(byte[] buffer, ParamEntry[] entries, int count, int generation)
    {
        (_buffer, _entries, Generation) = (buffer, entries, generation);
        _order = new int[count];
        for (var i = 0; i < count; i++)
        {
            _order[i] = i;
        }

        _order.AsSpan().Sort(CompareParams);
    }

    /// <summary>The number of the request with these params, within one <see cref="CgiParams"/>.</summary>
    public int Generation { get; }

    /// <summary>The number of name comparisons. Shows that no order of arrival makes this quadratic.</summary>
    public long Comparisons { get; private set; }

    /// <summary>The indices of the params, with equal names adjacent and in the order of arrival.</summary>
    public ReadOnlySpan<int> Order => _order;

    /// <summary>The part of <see cref="Order"/> with this name.</summary>
    public ReadOnlySpan<int> Find(ReadOnlySpan<byte> name)
    {
        var start = Bound(name, afterEqual: false);
        return Order[start..Bound(name, afterEqual: true)];
    }

    /// <summary>True if two names stand for the same header field.</summary>
    public static bool AreEqual(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => Compare(left, right) == 0;

    private int Bound(ReadOnlySpan<byte> name, bool afterEqual)
    {
        var low = 0;
        var high = _order.Length;
        while (low < high)
        {
            var middle = (low + high) >>> 1;
            ref readonly var entry = ref _entries[_order[middle]];
            Comparisons++;
            var comparison = Compare(_buffer.AsSpan(entry.NameOffset, entry.NameLength), name);
            if (comparison < 0 || (afterEqual && comparison == 0))
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }

    private static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        var length = Math.Min(left.Length, right.Length);
        for (var i = left.CommonPrefixLength(right); i < length; i++)
        {
            var difference = HeaderNameText.Fold((char)left[i]) - HeaderNameText.Fold((char)right[i]);
            if (difference != 0)
            {
                return difference;
            }
        }

        return left.Length - right.Length;
    }

    private int CompareParams(int left, int right)
    {
        Comparisons++;
        ref readonly var first = ref _entries[left];
        ref readonly var second = ref _entries[right];
        var comparison = Compare(
            _buffer.AsSpan(first.NameOffset, first.NameLength), _buffer.AsSpan(second.NameOffset, second.NameLength));
        return comparison != 0 ? comparison : left - right;
    }
}
