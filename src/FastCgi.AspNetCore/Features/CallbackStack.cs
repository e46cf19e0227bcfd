using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Features;

/// <summary>Callbacks that run last in, first out. Empty, it costs one reference.</summary>
internal struct CallbackStack
{
    private Entry? _top;

    internal readonly bool IsEmpty => _top is null;

    internal void Push(Func<object, Task> callback, object state) => _top = new Entry(callback, state, _top);

    internal bool TryPop([NotNullWhen(true)] out Func<object, Task>? callback, out object? state)
    {
        Entry? top = _top;
        _top = top?.Below;
        callback = top?.Callback;
        state = top?.State;
        return callback is not null;
    }

    internal void Clear() => _top = null;

    private sealed record Entry(Func<object, Task> Callback, object State, Entry? Below);
}
