using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Features;

/// <summary>Callbacks that run last in, first out. Empty, it costs nothing but its place.</summary>
internal struct CallbackStack
{
    private Entry[]? _entries;
    private int _count;

    internal readonly bool IsEmpty => _count == 0;

    internal void Push(Func<object, Task> callback, object state)
    {
        if (_count == (_entries?.Length ?? 0))
        {
            Array.Resize(ref _entries, Math.Max(4, _count * 2));
        }

        _entries![_count++] = new Entry(callback, state);
    }

    internal bool TryPop([NotNullWhen(true)] out Func<object, Task>? callback, out object? state)
    {
        if (_count == 0)
        {
            callback = null;
            state = null;
            return false;
        }

        ref var entry = ref _entries![--_count];
        callback = entry.Callback;
        state = entry.State;
        entry = default;
        return true;
    }

    internal void Clear()
    {
        _entries = null;
        _count = 0;
    }

    private readonly record struct Entry(Func<object, Task> Callback, object State);
}
