using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// What an application left to be done when more of its body has come. The thread that received it runs it, like a
/// request that became ready: when it has given the reading role back, and without a hand-over to another thread.
/// </summary>
internal sealed partial class FastCgiConnection
{
    // The thread that routes at this moment. Written under the gate.
    private int _routingThread;

    // Written by the thread that routes, which takes it while it has the reading role.
    private Action<object?>? _continuation;
    private object? _continuationState;

    public bool TryContinueAfterRead(Action<object?> action, object? state)
    {
        if (_routingThread != Environment.CurrentManagedThreadId || _continuation is not null)
        {
            return false;
        }

        _continuation = action;
        _continuationState = state;
        return true;
    }

    /// <summary>The one that the last read left, and the thread pool gets the one that was there before it.</summary>
    private Continuation TakeContinuation(Continuation already)
    {
        if (_continuation is null)
        {
            return already;
        }

        already.Queue();
        var taken = new Continuation(_continuation, _continuationState);
        _continuation = null;
        _continuationState = null;
        return taken;
    }

    private readonly record struct Continuation(Action<object?>? Action, object? State)
    {
        /// <summary>Somebody else has this thread.</summary>
        public void Queue()
        {
            if (Action is not null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(Action, State, preferLocal: false);
            }
        }

        public void RunInline()
        {
            if (Action is not null)
            {
                ContinuedRun.Run(Action, State);
            }
        }
    }
}
