using FastCgi.AspNetCore.Server;

namespace FastCgi.FuzzTests.Memory;

/// <summary>
/// Buffers that never come clean: what is given back is overwritten, so that a late reader or writer shows. Counts
/// what is out.
/// </summary>
internal sealed class MemoryPool : BufferPool
{
    private const byte Poison = 0xF1;
    private const int MostPoisoned = 4096;

    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly Stack<byte[]>[] _free = [.. Enumerable.Range(0, 32).Select(static _ => new Stack<byte[]>())];
    private readonly Dictionary<byte[], string?> _out = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<byte[], string> _returners = new(ReferenceEqualityComparer.Instance);

    /// <summary>Rented, and neither returned nor left to the collector on purpose.</summary>
    public int Outstanding => _out.Count;

    /// <summary>Remembers who rented what, which costs.</summary>
    public bool Tells { get; set; }

    /// <summary>Who rented what is out, where it tells.</summary>
    public IEnumerable<string?> Renters => _out.Values;

    /// <summary>The first that was <see cref="Strange"/>, where it tells.</summary>
    public string? StrangeCaller { get; private set; }

    /// <summary>Given back though they were not out, or written to after they were given back.</summary>
    public int Strange { get; private set; }

    public override byte[] Rent(int minimumLength)
    {
        RequireThread();
        var order = int.Log2(Math.Max(minimumLength, 16) - 1) + 1;
        if (_free[order].TryPop(out var buffer))
        {
            if (IsWritten(buffer))
            {
                OnStrange();
            }
        }
        else
        {
            buffer = new byte[1 << order];
        }

        _out.Add(buffer, Tells ? Environment.StackTrace : null);
        return buffer;
    }

    public override void Return(byte[] buffer)
    {
        RequireThread();
        if (!_out.Remove(buffer))
        {
            OnStrange();
            return;
        }

        buffer.AsSpan(0, Math.Min(buffer.Length, MostPoisoned)).Fill(Poison);
        if (Tells)
        {
            _returners[buffer] = Environment.StackTrace;
        }

        _free[int.Log2(buffer.Length)].Push(buffer);
    }

    public override void Abandon(byte[] buffer)
    {
        if (!_out.Remove(buffer))
        {
            OnStrange();
        }
    }

    /// <summary>Looks for buffers that were written to after they were given back.</summary>
    public void Inspect()
    {
        foreach (var written in _free.SelectMany(static free => free).Where(IsWritten))
        {
            Strange++;
            StrangeCaller ??= _returners.GetValueOrDefault(written);
            written.AsSpan().Fill(Poison);
        }
    }

    /// <summary>For the next world, whatever was lost in this one.</summary>
    public void Forget()
    {
        _out.Clear();
        _returners.Clear();
        StrangeCaller = null;
        Strange = 0;
    }

    /// <summary>Every step runs on one thread; another one would be the thread pool's, which no seed decides.</summary>
    private void RequireThread()
    {
        if (Environment.CurrentManagedThreadId != _thread)
        {
            Environment.FailFast($"A step escaped to the thread pool: {Environment.StackTrace}");
        }
    }

    private static bool IsWritten(byte[] buffer) =>
        buffer.AsSpan(0, Math.Min(buffer.Length, MostPoisoned)).ContainsAnyExcept(Poison);

    private void OnStrange()
    {
        Strange++;
        StrangeCaller ??= Tells ? Environment.StackTrace : null;
    }
}
