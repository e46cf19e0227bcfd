using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The reading role of a connection: receive, route, give the role back, and only then run what became ready, on this
/// thread. An idle connection holds no buffer: the few bytes of a record that has not wholly come live in its wire.
/// </summary>
internal sealed class ReadLoop(
    TransportConnection transport, ServerContext server, SendQueue output, IReadTarget target)
{
    private const int ReceiveSize = 16 * 1024;
    private const int LargeReceiveSize = 64 * 1024;

    /// <summary>How long other requests of the peer may wait behind a body, on the coarse clock.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // Written by the holder of the reading role only.
    private bool _isFirstRead = true;

    // As above. Said once.
    private bool _peerWasSlow;

    // As above. The last receive brought more than a small buffer holds, and so will the next one: an upload.
    private bool _receivesMuch;

    // Written by the holder of the role, and cleared by any thread that makes it read again.
    private volatile bool _paused;

    // Written by the holder of the role before it pauses: for whom, null if not for a body, and since when.
    private FastCgiRequest? _slow;
    private long _slowSince;

    // Written by the holder of the role.
    private volatile bool _hasEnded;

    // 1 while the role waits for a run to end. Cleared by the thread of the run, or by the monitor.
    private int _isDeferred;

    // Bytes may have left the socket and not reached the requests. Set by the holder, cleared under the gate.
    private bool _receiving;

    /// <summary>The peer's stream has ended.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>No thread reads, so no thread notices a peer that leaves.</summary>
    public bool IsBlind => _paused || _hasEnded;

    /// <summary>The request, maybe over, whose body has paused the socket for more than a second; or null.</summary>
    public FastCgiRequest? SlowReader => HasPausedFor(s_patience) ? _slow : null;

    /// <summary>The socket has waited for the reader of a body for longer than <paramref name="limit"/>.</summary>
    public bool HasPausedFor(TimeSpan limit) =>
        _paused && _slow is not null && server.Clock.HasPassed(limit, _slowSince);

    /// <summary>
    /// Whether there is something to read. The socket is asked before the reader is: what has left the one is with the
    /// other.
    /// </summary>
    public bool HasArrived() => transport.HasUnread() || Volatile.Read(ref _receiving);

    /// <summary>Ends a receive: its bytes have reached the requests. Under the gate.</summary>
    public void EndReceive() => Volatile.Write(ref _receiving, false);

    /// <summary>The transport has given the role to this thread.</summary>
    public void Run()
    {
        var ready = default(ReadyWork);
        byte[] buffer = server.Buffers.Rent(_receivesMuch ? LargeReceiveSize : ReceiveSize);
        try
        {
            Read(ref buffer, ref ready);
        }
        catch
        {
            // The transport closes the connection. A request in front of the failure is aborted, and still has to leave
            // through its application.
            ready.Queue();
            throw;
        }
        finally
        {
            server.Buffers.Return(buffer);
        }

        ready.Run();
        EndDeferral();
    }

    /// <summary>Any thread: the run that the next read waits for goes on elsewhere, or keeps its thread.</summary>
    public void EndDeferral()
    {
        if (Volatile.Read(ref _isDeferred) != 0 && Interlocked.Exchange(ref _isDeferred, 0) != 0)
        {
            transport.ResumeReading();
        }
    }

    /// <summary>Any thread: there is room for what comes.</summary>
    public void Resume()
    {
        _paused = false;
        transport.ResumeReading();
    }

    /// <summary>Gives the role back until <see cref="Resume"/>, for good at the end of the stream.</summary>
    public void Pause()
    {
        transport.PauseReading();
        _paused = true;
    }

    private void Read(ref byte[] buffer, ref ReadyWork ready)
    {
        bool hasReadOn = false;
        while (TryReadOnce(ref buffer, ref ready, out bool isFull))
        {
            if (ready.SlowReader is { } slow)
            {
                ready.SlowReader = null;
                PauseFor(slow);
                return;
            }

            if (output.HasUntakenAnswers)
            {
                PauseUntilAnswersAreTaken();
                return;
            }

            if (isFull && !hasReadOn)
            {
                hasReadOn = true;
                continue;
            }

            // 9. Give back: another thread may read from here on.
            if (!isFull && (TryDefer(ready) || transport.TryEndReading()))
            {
                return;
            }

            if (ready.HasRuns && transport.HasOwnThreads)
            {
                // More comes: it is reported anew, and a free thread reads it, or this one when it has run what is
                // ready. To hand that over instead would wake the thread pool for each piece of an upload.
                transport.PauseReading();
                transport.ResumeReading();
                return;
            }

            // What is ready does not wait until this thread has read everything.
            ready.Queue();
        }
    }

    /// <summary>The socket is read again when the last request has left this thread, if it is open by then.</summary>
    private bool TryDefer(in ReadyWork ready)
    {
        if (!ready.IsLastRequest || !transport.TryDeferReading())
        {
            return false;
        }

        Volatile.Write(ref _isDeferred, 1);
        return true;
    }

    /// <summary>One receive and the routing of what it brought. False: no thread reads this socket any more.</summary>
    private bool TryReadOnce(ref byte[] buffer, ref ReadyWork ready, out bool isFull)
    {
        Volatile.Write(ref _receiving, true);
        // 3. Receive: one call that does not block.
        int received = transport.Receive(buffer);
        isFull = received == buffer.Length;
        _receivesMuch = received >= ReceiveSize;
        switch (received)
        {
            case TransportConnection.WouldBlock:
                target.OnNothingReceived();
                return true;
            case TransportConnection.Reset:
                target.OnReset();
                return false;
            case 0:
                _hasEnded = true;
                target.OnEndOfInput();
                return false;
        }

        bool isFirst = _isFirstRead;
        _isFirstRead = false;
        if (!target.TryRoute(buffer.AsSpan(0, received), isFirst, ref ready))
        {
            return false;
        }

        if (isFull && buffer.Length < LargeReceiveSize)
        {
            byte[] larger = server.Buffers.Rent(LargeReceiveSize);
            server.Buffers.Return(buffer);
            buffer = larger;
        }

        return true;
    }

    /// <summary>Stops reading until there is room for more of the body, if the request is still there.</summary>
    private void PauseFor(FastCgiRequest slow)
    {
        _slow = slow;
        _slowSince = server.Clock.Now;

        // Before the body is asked: it may call for more the moment it has agreed to the pause.
        Pause();
        if (!target.TryPauseFor(slow))
        {
            Resume();
        }
    }

    /// <summary>Stops reading until the peer has taken its answers: further requests would make more.</summary>
    private void PauseUntilAnswersAreTaken()
    {
        if (!_peerWasSlow)
        {
            _peerWasSlow = true;
            target.OnAnswersUntaken();
        }

        _slow = null;
        Pause();
        if (!output.TryAwaitTaking(Resume))
        {
            Resume();
        }
    }
}

/// <summary>Receives the bytes and the ends that a <see cref="ReadLoop"/> reads.</summary>
internal interface IReadTarget
{
    /// <summary>
    /// Routes what was received and adds to <paramref name="ready"/> what became ready. Calls
    /// <see cref="ReadLoop.EndReceive"/> under its gate. False: the connection reads no more.
    /// </summary>
    bool TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadyWork ready);

    /// <summary>The socket was empty. As above, calls <see cref="ReadLoop.EndReceive"/> under its gate.</summary>
    void OnNothingReceived();

    /// <summary>The stream ended; on a unix socket perhaps one half of it. The role is not given back.</summary>
    void OnEndOfInput();

    /// <summary>The socket is lost.</summary>
    void OnReset();

    /// <summary>The reader has paused for <paramref name="request"/>. False: there is nothing to wait for.</summary>
    bool TryPauseFor(FastCgiRequest request);

    /// <summary>The peer does not take its answers, and the reader pauses until it does.</summary>
    void OnAnswersUntaken();
}

/// <summary>
/// The work that a read leaves for this thread, to be done when it has given the reading role back. A value on the
/// stack of the reader: nothing of it is lost when routing fails in the middle.
/// </summary>
internal struct ReadyWork
{
    private FastCgiRequest? _ready;
    private FastCgiRequest? _read;
    private IThreadPoolWorkItem? _next;

    /// <summary>A request whose body has no more room; the socket waits for its reader.</summary>
    public FastCgiRequest? SlowReader { get; set; }

    /// <summary>There is something to run.</summary>
    public readonly bool HasRuns => _ready is not null || _next is not null;

    /// <summary>One request is to run, it has come whole, and its connection closes behind it.</summary>
    public readonly bool IsLastRequest =>
        _ready is { KeepConnection: false, Body.HasEnded: true } && _next is null;

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

    /// <summary>
    /// The application's continuation of a read, now that more of the body of its request has come; null for none.
    /// This thread runs it without a hand-over, like a request that became ready.
    /// </summary>
    public void Add(FastCgiRequest request, IThreadPoolWorkItem? reader)
    {
        if (reader is null)
        {
            return;
        }

        if (_next is null)
        {
            (_read, _next) = (request, reader);
        }
        else
        {
            PoolWork.Queue(reader);
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

        QueueNext();
    }

    /// <summary>This thread has it, for as long as an application likes. Requests come first.</summary>
    public void Run()
    {
        if (InlineRuns.OnlyReads)
        {
            Queue();
        }
        else if (_ready is not null)
        {
            QueueNext();
            _ready.RunInline();
        }
        else if (_next is not null)
        {
            _read!.ContinueInline(_next);
        }
    }

    private void QueueNext()
    {
        if (_next is not null)
        {
            PoolWork.Queue(_next);
            _next = null;
        }
    }
}
