using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The application's continuation of a read, to be run when more of its body has come. The thread that received it
/// runs it, like a request that became ready: when it has given the reading role back, and without a hand-over to
/// another thread.
/// </summary>
internal readonly record struct Continuation(FastCgiRequest Request, IThreadPoolWorkItem? Reader)
{
    public bool IsThere => Reader is not null;

    public void RunInline()
    {
        if (Reader is not null)
        {
            Request.ContinueInline(Reader);
        }
    }

    /// <summary>Another thread runs it.</summary>
    public void Queue()
    {
        if (Reader is not null)
        {
            PoolWork.Queue(Reader);
        }
    }
}
