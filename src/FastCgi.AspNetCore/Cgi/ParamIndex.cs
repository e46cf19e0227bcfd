namespace FastCgi.AspNetCore.Cgi;

/// <summary>The params in the order of their names, for bisection.</summary>
/// <remarks>
/// Sorted, not hashed: a peer can make names collide in a hash, but not in an order. Names are equal here when they
/// differ in case only, or in a hyphen against an underscore, since both make the same header field. Never changed
/// once it is made: who reads params of a request that has ended can't spoil it for the next one.
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

    /// <summary>Which request's params these are, among those of one <see cref="CgiParams"/>.</summary>
    public int Generation { get; }

    /// <summary>The comparisons of names. They show that no order of arrival makes this quadratic.</summary>
    public long Comparisons { get; private set; }

    /// <summary>The indices of the params, equal names beside each other and in the order of arrival.</summary>
    public ReadOnlySpan<int> Order => _order;

    /// <summary>The part of <see cref="Order"/> that has this name.</summary>
    public ReadOnlySpan<int> Find(ReadOnlySpan<byte> name)
    {
        var start = Bound(name, afterEqual: false);
        return Order[start..Bound(name, afterEqual: true)];
    }

    /// <summary>Whether two names make the same header field.</summary>
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
