using System.Numerics;

namespace FastCgi.Tool.Benchmarks;

/// <summary>
/// Times in buckets narrower than 1.6 % of their value, so that a percentile needs no list of all times.
/// </summary>
internal sealed class LatencyHistogram
{
    /// <summary>64 buckets between a power of two and the next.</summary>
    private const int Precision = 6;

    private readonly long[] _counts = new long[(64 - Precision) << Precision];

    public long Count { get; private set; }

    public TimeSpan Minimum { get; private set; } = TimeSpan.MaxValue;

    public TimeSpan Maximum { get; private set; }

    public TimeSpan Mean => Count == 0 ? TimeSpan.Zero : TimeSpan.FromTicks(_total / Count);

    private long _total;

    public void Record(TimeSpan time)
    {
        long ticks = Math.Max(time.Ticks, 0);
        _counts[BucketOf(ticks)]++;
        _total += ticks;
        Count++;
        Minimum = time < Minimum ? time : Minimum;
        Maximum = time > Maximum ? time : Maximum;
    }

    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            _counts[i] += other._counts[i];
        }

        _total += other._total;
        Count += other.Count;
        Minimum = other.Minimum < Minimum ? other.Minimum : Minimum;
        Maximum = other.Maximum > Maximum ? other.Maximum : Maximum;
    }

    /// <summary>
    /// The time that this share of the requests did not exceed; <paramref name="percentile"/> is 0 to 100.
    /// </summary>
    public TimeSpan Percentile(double percentile)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(Count * percentile / 100));
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return TimeSpan.FromTicks(Math.Clamp(EndOf(i), Minimum.Ticks, Maximum.Ticks));
            }
        }

        return Maximum;
    }

    /// <summary>The number of requests longer than the first time, but not longer than the second.</summary>
    public long CountBetween(TimeSpan from, TimeSpan to)
    {
        long count = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            long end = EndOf(i);
            count += end > from.Ticks && end <= to.Ticks ? _counts[i] : 0;
        }

        return count;
    }

    private static int BucketOf(long ticks)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)ticks | 1) - Precision);
        return (shift << Precision) + (int)(ticks >> shift);
    }

    /// <summary>The largest value of a bucket.</summary>
    private static long EndOf(int bucket)
    {
        int shift = Math.Max(0, (bucket >> Precision) - 1);
        long first = bucket - ((long)shift << Precision);
        return ((first + 1) << shift) - 1;
    }
}
