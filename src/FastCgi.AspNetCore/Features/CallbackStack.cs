using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Features;

/// <summary>Callbacks that run last in, first out. Keeps its memory from one request to the next.</summary>
internal sealed class CallbackStack
{
    // A request that registered more than this is rare; its memory is not worth keeping.
    private const int MaxKept = 32;

    private Entry[] _entries = [];
    private int _count;

    internal bool IsEmpty => _count == 0;

    internal void Push(Func<object, Task> callback, object state)
    {
        if (_count == _entries.Length)
        {
            Array.Resize(ref _entries, Math.Max(4, _count * 2));
        }

        _entries[_count++] = new Entry(callback, state);
    }

    internal bool TryPop([NotNullWhen(true)] out Func<object, Task>? callback, out object? state)
    {
        if (_count == 0)
        {
            callback = null;
            state = null;
            return false;
        }

        ref var entry = ref _entries[--_count];
        callback = entry.Callback;
        state = entry.State;
        entry = default;
        return true;
    }

    internal void Clear()
    {
        if (_entries.Length > MaxKept)
        {
            _entries = [];
        }
        else if (_count > 0)
        {
            Array.Clear(_entries, 0, _count);
        }

        _count = 0;
    }

    private readonly record struct Entry(Func<object, Task> Callback, object State);
}
