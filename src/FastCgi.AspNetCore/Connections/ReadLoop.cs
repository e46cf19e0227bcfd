using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The reading role of a connection: receives, routes, gives the role back, and only then runs the requests that became
/// ready on this thread. An idle connection holds no buffer: its wire keeps the few bytes of an incomplete record.
/// </summary>
internal sealed class ReadLoop(
    TransportConnection transport, ServerContext server, SendQueue output, IReadTarget target)
{
    private const int ReceiveSize = 16 * 1024;
    private const int LargeReceiveSize = 64 * 1024;

    /// <summary>Limit for other requests of the peer to wait for the reader of a body, on the coarse clock.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // Written by the holder of the reading role only.
    private bool _isFirstRead = true;
    private bool _peerWasSlow; // The log says it once.
    private bool _receivesMuch; // The last receive filled a small buffer: an upload, whose next one will too.
    private volatile bool _hasEnded;

    // Set by the holder of the role, and cleared by any thread that lets it read again.
    private volatile bool _paused;

    // Written by the holder of the role before it pauses: the request whose body it waits for, or null, and the start.
    private FastCgiRequest? _slow;
    private long _slowSince;

    // 1 while the role waits for a run to end. Cleared by the thread that runs, or by the monitor.
    private int _isDeferred;

    // True while received bytes may not have reached the requests yet. Set by the holder, cleared under the gate.
    private bool _receiving;

    /// <summary>The peer's stream has ended.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>True if no thread reads, so that no thread would notice a peer that leaves.</summary>
    public bool IsBlind => _paused || _hasEnded;

    /// <summary>The request (perhaps ended) whose body has paused the socket for over a second, or null.</summary>
    public FastCgiRequest? SlowReader => HasPausedFor(s_patience) ? _slow : null;

    /// <summary>True if the socket has waited longer than <paramref name="limit"/> for a reader.</summary>
    public bool HasPausedFor(TimeSpan limit) =>
        _paused && _slow is not null && server.Clock.HasPassed(limit, _slowSince);

    /// <summary>
    /// True if there is something to read. The order matters: bytes that have left the socket are then found with the
    /// reader.
    /// </summary>
    public bool HasArrived() => transport.HasUnread() || Volatile.Read(ref _receiving);

    /// <summary>Ends a receive: its bytes have reached the requests. Under the gate.</summary>
    public void EndReceive() => Volatile.Write(ref _receiving, false);

    /// <summary>Reads and runs. Called when the transport has given the role to this thread.</summary>
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
            // The transport closes the connection. A request that became ready before the failure is aborted, but its
            // application still has to run to the end.
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

    /// <summary>Ends a deferral: the run continues elsewhere, or keeps its thread. Any thread may call.</summary>
    public void EndDeferral()
    {
        if (Volatile.Read(ref _isDeferred) != 0 && Interlocked.Exchange(ref _isDeferred, 0) != 0)
        {
            transport.ResumeReading();
        }
    }

    /// <summary>Reads again, because there is room for more. Any thread may call.</summary>
    public void Resume()
    {
        _paused = false;
        transport.ResumeReading();
    }

    /// <summary>Gives the role back until <see cref="Resume"/>, or for good at the end of the stream.</summary>
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
                // More bytes follow and are reported anew. A free thread reads them, or this one after it has run the
                // ready work. A hand-over to the thread pool would wake a pool thread for each piece of an upload.
                transport.PauseReading();
                transport.ResumeReading();
                return;
            }

            // Ready work must not wait until this thread has read everything.
            ready.Queue();
        }
    }

    /// <summary>Defers the next read until the last request has left this thread.</summary>
    private bool TryDefer(in ReadyWork ready)
    {
        if (!ready.IsLastRequest || !transport.TryDeferReading())
        {
            return false;
        }

        Volatile.Write(ref _isDeferred, 1);
        return true;
    }

    /// <summary>Receives once and routes the bytes. False if no thread reads this socket any more.</summary>
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

        // Pause before asking the body: once the body has agreed to the pause, it may call for more at any time.
        Pause();
        if (!target.TryPauseFor(slow))
        {
            Resume();
        }
    }

    /// <summary>Stops reading until the peer has taken its answers: further requests would add to them.</summary>
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

/// <summary>Receives the bytes and the end of the stream from a <see cref="ReadLoop"/>.</summary>
internal interface IReadTarget
{
    /// <summary>
    /// Routes received bytes, and adds the work that became ready to <paramref name="ready"/>. Calls
    /// <see cref="ReadLoop.EndReceive"/> under its gate. False if the connection reads no more.
    /// </summary>
    bool TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadyWork ready);

    /// <summary>Called if the socket was empty. Calls <see cref="ReadLoop.EndReceive"/> under its gate.</summary>
    void OnNothingReceived();

    /// <summary>The stream ended; on a unix socket perhaps only one half. The role is not given back.</summary>
    void OnEndOfInput();

    void OnReset();

    /// <summary>Called after a pause for <paramref name="request"/>. False if there is nothing to wait for.</summary>
    bool TryPauseFor(FastCgiRequest request);

    /// <summary>Called when the peer does not take its answers. The reader pauses until the peer does.</summary>
    void OnAnswersUntaken();
}

/// <summary>
/// Work that a read leaves for this thread, to be run after it has given the reading role back. A value on the stack of
/// the reader, so none of it is lost if routing fails midway.
/// </summary>
internal struct ReadyWork
{
    private FastCgiRequest? _ready;
    private FastCgiRequest? _read;
    private IThreadPoolWorkItem? _next;

    /// <summary>A request whose body has no more room. The socket waits for its reader.</summary>
    public FastCgiRequest? SlowReader { get; set; }

    public readonly bool HasRuns => _ready is not null || _next is not null;

    /// <summary>True if exactly one request is to run, it came whole, and its connection closes after it.</summary>
    public readonly bool IsLastRequest =>
        _ready is { KeepConnection: false, Body.HasEnded: true } && _next is null;

    /// <summary>Adds a request. The first one runs on this thread; the others are queued.</summary>
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
    /// Adds the continuation of a read by the application, if there is one: more of the request body has come. This
    /// thread runs it without a hand-over, like a request that became ready.
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

    /// <summary>Gives the work to other threads, because this one has more to read or has failed.</summary>
    public void Queue()
    {
        if (_ready is not null)
        {
            _ready.RunElsewhere();
            _ready = null;
        }

        QueueNext();
    }

    /// <summary>Runs the work on this thread, for as long as the application takes. Requests come first.</summary>
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
