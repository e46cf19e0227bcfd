namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// What an application left to be done when more of its body has come. The thread that received it runs it, like a
/// request that became ready: when it has given the reading role back, and without a hand-over to another thread.
/// </summary>
internal abstract partial class PeerConnection
{
    // The thread that routes at this moment. Written under the gate.
    private int _routingThread;

    // Written by the thread that routes, which takes it while it has the reading role.
    private Continuation _continuation;

    public bool TryContinueAfterRead(RequestSlot slot, Action<object?> action, object? state)
    {
        if (_routingThread != Environment.CurrentManagedThreadId || _continuation.IsThere)
        {
            return false;
        }

        _continuation = new Continuation(slot, action, state);
        return true;
    }

    /// <summary>The one that the last read left, and the thread pool gets the one that was there before it.</summary>
    private Continuation TakeContinuation(Continuation already)
    {
        if (!_continuation.IsThere)
        {
            return already;
        }

        already.Queue();
        Continuation taken = _continuation;
        _continuation = default;
        return taken;
    }

    private readonly record struct Continuation(RequestSlot? Slot, Action<object?>? Action, object? State)
    {
        public bool IsThere => Action is not null;

        /// <summary>Somebody else has this thread.</summary>
        public void Queue()
        {
            if (Action is not null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(Action, State, preferLocal: false);
            }
        }

        public void RunInline() => Slot?.Request.ContinueInline(Action!, State);
    }
}
