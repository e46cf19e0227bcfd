using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The work that a read leaves for this thread, to be done when it has given the reading role back. A value on the
/// stack of the reader: nothing of it is lost when routing fails in the middle.
/// </summary>
internal struct ReadyWork
{
    private FastCgiRequest? _ready;
    private Continuation _next;

    /// <summary>A request whose body has no more room; the socket waits for its reader.</summary>
    public FastCgiRequest? SlowReader { get; set; }

    /// <summary>There is something to run.</summary>
    public readonly bool HasRuns => _ready is not null || _next.IsThere;

    /// <summary>
    /// There is one request to run. It has come whole, and its connection closes behind it: no more is expected.
    /// </summary>
    public readonly bool IsLastRequest =>
        _ready is { KeepConnection: false, Body.HasEnded: true } && !_next.IsThere;

    /// <summary>The first request that became ready has this thread first; the others wait for their turn.</summary>
    public void Add(FastCgiRequest ready)
    {
        if (_ready is null)
        {
            _ready = ready;
        }
        else
        {
            ready.RunAfterOthers();
        }
    }

    public void Add(Continuation next)
    {
        if (_next.IsThere)
        {
            next.Queue();
        }
        else
        {
            _next = next;
        }
    }

    /// <summary>Other threads have it, since this one has more to read, or has failed.</summary>
    public void Queue()
    {
        if (_ready is not null)
        {
            _ready.RunElsewhere();
            _ready = null;
        }

        _next.Queue();
        _next = default;
    }

    /// <summary>This thread has it, for as long as an application likes. Requests come first.</summary>
    public void Run()
    {
        if (InlineRuns.OnlyReads)
        {
            Queue();
        }
        else if (_ready is null)
        {
            _next.RunInline();
        }
        else
        {
            _next.Queue();
            _ready.RunInline();
        }
    }
}
