namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>While the application runs on the thread that received the request, its flushes wait for each other.</summary>
internal sealed partial class ResponseRecords
{
    private bool _holding;
    private int _run;

    /// <summary>
    /// From here to <see cref="EndHold"/> a flush waits: the application runs on the thread that received the request,
    /// and what it flushes before it first really waits leaves together.
    /// </summary>
    /// <returns>Names this hold, since the request may be another one by the time it is ended.</returns>
    public int BeginHold()
    {
        lock (_lock)
        {
            _holding = true;
            return ++_run;
        }
    }

    /// <summary>The run was unwound, by its end or by its first real wait: what it flushed leaves now.</summary>
    public void EndHold(int run)
    {
        lock (_lock)
        {
            if (_run == run)
            {
                LetGo();
            }
        }
    }

    /// <summary>The run keeps its thread: what it flushed leaves, and later flushes leave at once.</summary>
    public void BreakHold()
    {
        if (_lock.TryEnter())
        {
            // Else the run is sending at this moment, a file perhaps, and the monitor has others to look after meanwhile.
            try
            {
                LetGo();
            }
            finally
            {
                _lock.Exit();
            }
        }
    }

    private void LetGo()
    {
        _holding = false;
        if (_flushPending && _headHold is null)
        {
            Emit();
        }
    }
}
