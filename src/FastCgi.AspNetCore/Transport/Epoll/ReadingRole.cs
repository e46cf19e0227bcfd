namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Decides who reads a connection. Any waiting thread may get any event of the connection, two threads at the same
/// moment too; one word that all of them share makes exactly one the reader.
/// </summary>
/// <remarks>
/// The word counts the readable events since the role was free. 0 to 1 takes the role. More events make the holder's
/// <see cref="TryGiveBack"/> fail, so that it reads again. Each method is one atomic step on the word.
/// </remarks>
internal struct ReadingRole
{
    /// <summary>The role is free, and no event takes it until <see cref="TryResume"/>.</summary>
    private const int Paused = 1 << 30;

    // Shared by all threads.
    private int _signals;
    private volatile bool _inputEnded;

    // Written by the holder only: the events that its reading has answered, and whether it has read the end.
    private int _answered;
    private bool _endWasRead;

    /// <param name="isHeld">The caller has the role from the start.</param>
    public ReadingRole(bool isHeld) => _signals = _answered = isHeld ? 1 : 0;

    /// <summary>The peer has ended its direction. Before <see cref="TryTake"/> of the same event.</summary>
    public void OnInputEnded() => _inputEnded = true;

    /// <summary>A readable event. True: the caller is the reader from now on.</summary>
    public bool TryTake()
    {
        if (Interlocked.Increment(ref _signals) != 1)
        {
            return false;
        }

        _answered = 1;
        return true;
    }

    /// <summary>The holder has read the end of the stream.</summary>
    public void OnEndRead() => _endWasRead = true;

    /// <summary>The holder has read all there was. False: more came meanwhile, and the holder reads again.</summary>
    public bool TryGiveBack()
    {
        // The last bytes and the end of the stream may come by one event: the end is unread then.
        if (_inputEnded && !_endWasRead)
        {
            _answered = Volatile.Read(ref _signals);
            return false;
        }

        int found = Interlocked.CompareExchange(ref _signals, 0, _answered);
        if (found == _answered)
        {
            return true;
        }

        _answered = found;
        return false;
    }

    /// <summary>The holder gives the role to the next event. It must have the connection armed after this.</summary>
    public void Release() => Volatile.Write(ref _signals, 0);

    /// <summary>The holder gives the role back, and no event takes it until <see cref="TryResume"/>.</summary>
    public void Pause() => Interlocked.Or(ref _signals, Paused);

    /// <summary>Ends a pause. True, for one caller: it must have the connection armed after this.</summary>
    public bool TryResume()
    {
        int signals = Volatile.Read(ref _signals);
        while ((signals & Paused) != 0)
        {
            int found = Interlocked.CompareExchange(ref _signals, 0, signals);
            if (found == signals)
            {
                return true;
            }

            signals = found;
        }

        return false;
    }
}
