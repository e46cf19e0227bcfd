namespace FastCgi.AspNetCore.Cgi;

/// <summary>The params in the order of their names, for bisection.</summary>
/// <remarks>
/// Sorted, not hashed: a peer can make names collide in a hash, but not in an order. Names are equal here when they
/// differ in case only, or in a hyphen against an underscore, since both make the same header field.
/// </remarks>
internal sealed class ParamIndex
{
    private readonly Comparison<int> _comparison;
    private byte[] _buffer = [];
    private ParamEntry[] _entries = [];
    private int[] _order = [];
    private int _count;

    public ParamIndex() => _comparison = CompareParams;

    public bool IsBuilt => _count > 0;

    /// <summary>
    /// How often names were compared, ever. It shows that no order of arrival makes this quadratic, which a clock could
    /// not show.
    /// </summary>
    public long Comparisons { get; private set; }

    /// <summary>The indices of the params, equal names beside each other and in the order of arrival.</summary>
    public ReadOnlySpan<int> Order => _order.AsSpan(0, _count);

    public void Clear()
    {
        _count = 0;
        _buffer = [];
    }

    public void Build(byte[] buffer, ParamEntry[] entries, int count)
    {
        if (_order.Length < count)
        {
            _order = new int[entries.Length];
        }

        for (var i = 0; i < count; i++)
        {
            _order[i] = i;
        }

        _buffer = buffer;
        _entries = entries;
        _count = count;
        _order.AsSpan(0, count).Sort(_comparison);
    }

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
        var high = _count;
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
            var difference = Fold(left[i]) - Fold(right[i]);
            if (difference != 0)
            {
                return difference;
            }
        }

        return left.Length - right.Length;
    }

    private static int Fold(byte value) =>
        value == '-' ? '_' : char.IsAsciiLetterLower((char)value) ? value & ~0x20 : value;

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
