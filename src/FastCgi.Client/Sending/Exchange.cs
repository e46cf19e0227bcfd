using System.Runtime.ExceptionServices;
using FastCgi.Client.Connections;
using FastCgi.Client.Requests;
using FastCgi.Client.Responses;

namespace FastCgi.Client.Sending;

/// <summary>
/// One request and its response on one connection, from the first byte to the last. The response is read only as far as
/// its reader asks, so a slow reader slows down the application.
/// </summary>
internal sealed class Exchange : IContentSource
{
    /// <summary>
    /// Limit in bytes of a response beyond its content. Some applications send a body in answer to HEAD.
    /// </summary>
    private const int MaxExcess = 1024 * 1024;

    /// <summary>No timestamp is negative.</summary>
    private const long NotWaiting = -1;

    private readonly PooledConnection _connection;
    private readonly ConnectionPool _pool;
    private readonly HandlerSettings _settings;
    private readonly RequestPlan _plan;
    private readonly RequestSend _send;
    private readonly ResponseReader _reader;
    private readonly Receiver _receiver;
    private readonly ReadingTurn _turn = new();
    private CancellationTokenSource? _either;
    private CancellationToken _eitherOf;
    private ITimer? _watch;
    private long _waitingSince = NotWaiting;
    private long _sentBefore;
    private bool _hasTimedOut;
    private bool _isOver;
    private Exception? _failure;
    private ReadOnlyMemory<byte> _content;
    private RemainingLength _length;

    public Exchange(PooledConnection connection, ConnectionPool pool, RequestPlan plan, HandlerSettings settings)
    {
        _connection = connection;
        _pool = pool;
        _settings = settings;
        _plan = plan;
        _receiver = new Receiver(connection.Stream);
        _send = new RequestSend(connection, plan, settings.Rules);
        _reader = settings.Rules.IsScgi
            ? new ScgiResponseReader()
            : new FastCgiResponseReader(
                Endpoint,
                connection.RequestId,
                settings.StandardError is { } sink ? content => sink(plan.Request, content) : null);
    }

    /// <summary>Both directions if the application has upgraded the connection; otherwise null.</summary>
    public Stream? Switched { get; private set; }

    private string Endpoint => _settings.Target.Name;

    private bool CanKeep =>
        _settings.Rules.KeepConnection && _send.IsComplete && _reader.IsAtBoundary && _receiver.IsEmpty;

    /// <summary>
    /// Sends the request and reads the head of the response. Null if the connection was reused and proved to be closed
    /// before any answer came: then the request must be sent on another one.
    /// </summary>
    public async ValueTask<CgiHead?> StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            // 1. A read ahead shows whether the peer has closed a kept connection. It is also the first receive.
            if (_connection.IsReused && !_receiver.TryReadAhead(TokenFor(cancellationToken)))
            {
                await GiveUpAsync().ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested();
                return null;
            }

            // 2. The request is sent. A body continues in parallel with the response.
            await _send.StartAsync(cancellationToken).ConfigureAwait(false);

            // 3. The head of the response is read.
            CgiHead head = await ReadHeadAsync(cancellationToken).ConfigureAwait(false);
            Agree(head);
            _send.ReleaseContent();
            return head;
        }
        catch (Exception exception)
        {
            if (exception is OperationCanceledException && cancellationToken.IsCancellationRequested)
            {
                Abandon();
                throw;
            }

            await GiveUpAsync().ConfigureAwait(false);

            if (_send.ContentFailure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            if (_connection.IsReused && IsStale(exception) && _send.CanRepeat)
            {
                return null;
            }

            if (exception is FastCgiException || !IsLost(exception))
            {
                throw;
            }

            throw Lost(exception);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<int> ReadAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        if (!_turn.TryEnter())
        {
            // A reader that tries again must not take a part of the response for all of it.
            if (_failure is { } failure)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            return 0;
        }

        try
        {
            while (!_isOver)
            {
                if (!_content.IsEmpty)
                {
                    int count = _length.Take(ref _content, destination);
                    EndIfWhole();
                    if (count > 0 || destination.IsEmpty)
                    {
                        return count;
                    }
                }
                else if (!TryReadContent())
                {
                    if (_reader.IsEnded)
                    {
                        End();
                        continue;
                    }

                    if (_length.IsKnownToBeWhole && _send.IsComplete)
                    {
                        // END_REQUEST is not for the reader, and may come late.
                        if (_turn.TryEnd())
                        {
                            Abandon();
                        }

                        return 0;
                    }

                    WatchRead();
                    if (destination.Length >= Receiver.Size)
                    {
                        int count = await ReceiveIntoAsync(destination, cancellationToken).ConfigureAwait(false);
                        if (count > 0)
                        {
                            return count;
                        }
                    }
                    else if (!await ReceiveAsync(cancellationToken).ConfigureAwait(false))
                    {
                        End();
                    }
                }
            }

            return 0;
        }
        catch (OperationCanceledException exception) when (cancellationToken.IsCancellationRequested)
        {
            _failure = new IOException("An earlier read of this response was cancelled, so the rest is given up.");
            if (_turn.TryEnd())
            {
                Abandon();
            }

            // HttpClient's streams throw this type.
            throw new TaskCanceledException(exception.Message, exception, cancellationToken);
        }
        catch (Exception exception)
        {
            _failure = Explain(exception);
            Discard();
            throw _failure;
        }
        finally
        {
            Volatile.Write(ref _waitingSince, NotWaiting);

            // Disposal closes the connection, perhaps only now, so no other request may get it.
            if (!_turn.TryLeave())
            {
                Discard();
            }
        }
    }

    /// <summary>Drops the unread content. Does nothing if the response was read to its end.</summary>
    public void Dispose()
    {
        switch (_turn.Close())
        {
            case ReadingState.Free:
                Abandon();
                break;
            case ReadingState.Reading:
                // Ends the read, which then cleans up.
                _connection.Close();
                break;
            default:
                break;
        }
    }

    /// <inheritdoc/>
    public bool TryDrop()
    {
        ReadingState before = _turn.CloseUnlessReading();
        if (before == ReadingState.Free)
        {
            try
            {
                Abandon();
            }
            catch (Exception)
            {
                // A callback of the caller may throw any exception, and an exception here would end the process.
            }
        }

        return before != ReadingState.Reading;
    }

    private static bool IsLost(Exception exception) =>
        exception is IOException or ObjectDisposedException or FastCgiException { Error: FastCgiError.ResponseEnded };

    /// <summary>True if a kept connection was lost before any bytes came, or brought an earlier answer.</summary>
    private bool IsStale(Exception exception) => IsLost(exception)
        ? !_receiver.HasReceived
        : exception is FastCgiException { Error: FastCgiError.ProtocolViolation } && !_reader.HasBegun;

    private async ValueTask<CgiHead> ReadHeadAsync(CancellationToken cancellationToken)
    {
        var reader = new CgiHeadReader(Endpoint, _settings.MaxHeadLength, _settings.Rules.IsScgi);
        while (true)
        {
            if (TryReadContent())
            {
                if (reader.Read(ref _content) is { } head)
                {
                    return head;
                }
            }
            else if (_reader.IsEnded || !await ReceiveAsync(cancellationToken).ConfigureAwait(false))
            {
                throw new FastCgiException(
                    FastCgiError.ResponseEnded,
                    _receiver.HasReceived
                        ? $"{Endpoint} ended the response before its head was whole. Look for the reason in the " +
                            "application's log, and in its STDERR (FastCgiHandlerOptions.StandardError)."
                        : $"{Endpoint} closed the connection without an answer. Check that the application speaks " +
                            $"{(_settings.Rules.IsScgi ? "SCGI" : "FastCGI")} there, and look into its log.");
            }
        }
    }

    /// <summary>Decides whether the connection keeps its protocol, and how much content there is.</summary>
    private void Agree(CgiHead head)
    {
        bool isSwitch = head.StatusCode == HttpStatusCode.SwitchingProtocols;
        if (isSwitch && _plan.IsUpgrade)
        {
            Switched = new SwitchedStream(this, _send.Switch());
            _length = new RemainingLength(declared: null, hasBody: true);
            return;
        }

        if (isSwitch)
        {
            throw new FastCgiException(
                FastCgiError.InvalidHead,
                $"{Endpoint} answered with 101 Switching Protocols, and the request did not ask for an upgrade.");
        }

        _length = new RemainingLength(head.ContentLength, head.HasBody && _plan.Method != "HEAD");
    }

    private bool TryReadContent()
    {
        ReadOnlyMemory<byte> received = _receiver.Received;
        bool any = _reader.TryRead(ref received, out _content);
        _receiver.Received = received;
        return any;
    }

    /// <summary>False if the peer has closed the connection.</summary>
    private ValueTask<bool> ReceiveAsync(CancellationToken cancellationToken) =>
        _receiver.ReceiveAsync(TokenFor(cancellationToken));

    /// <summary>
    /// Cancelled by the caller, if the content cannot be read, and if a read lasts too long. Cached, because most
    /// callers use one token for all reads.
    /// </summary>
    private CancellationToken TokenFor(CancellationToken caller)
    {
        CancellationToken failed = _send.Failed;
        if (_watch is null && !failed.CanBeCanceled)
        {
            return caller;
        }

        if (_either is null || _eitherOf != caller)
        {
            _either?.Dispose();
            _either = CancellationTokenSource.CreateLinkedTokenSource(caller, failed);
            _eitherOf = caller;
        }

        return _either.Token;
    }

    /// <summary>
    /// Receives directly into the reader's memory, and cuts the records in place. 0 if none of the bytes are content,
    /// or the response has ended.
    /// </summary>
    private async ValueTask<int> ReceiveIntoAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        int size = await _receiver.ReceiveIntoAsync(
            destination, TokenFor(cancellationToken)).ConfigureAwait(false);
        ReadOnlyMemory<byte> received = destination[..size];
        int count = 0;
        while (_reader.TryRead(ref received, out ReadOnlyMemory<byte> content))
        {
            count += _length.Take(ref content, destination[count..]);
        }

        _receiver.PutBack(received.Span);
        if (size == 0 || _reader.IsEnded)
        {
            End();
        }

        return count;
    }

    /// <summary>Checks the bytes after the last content, without waiting for more.</summary>
    private void EndIfWhole()
    {
        if (_content.IsEmpty && !_receiver.IsEmpty && !TryReadContent() && _reader.IsEnded)
        {
            End();
        }
    }

    /// <summary>Ends a complete response.</summary>
    /// <exception cref="FastCgiException">The response broke off.</exception>
    private void End()
    {
        bool isWhole = _reader.IsEnded || _reader.EndsWithConnection;
        if (_length.IsMissing || (!isWhole && !_length.IsKnownToBeWhole))
        {
            throw new FastCgiException(
                FastCgiError.ResponseEnded,
                $"{Endpoint} broke the response off{_length.Missing}. Look for the reason in the application's log.");
        }

        // The writer of an upgraded connection may continue, so no other request can use it.
        Leave(Switched is null && CanKeep);
    }

    private void Discard() => Leave(keep: false);

    private void Leave(bool keep)
    {
        if (!_isOver)
        {
            _isOver = true;
            _content = default;
            GiveBack(_turn.TryEnd() && keep);
        }
    }

    private void GiveBack(bool keep)
    {
        if (keep)
        {
            _pool.Return(_connection);
        }
        else
        {
            _ = _send.StopAsync();
            _pool.Discard(_connection);
        }

        StopWatch();
        _receiver.Dispose();
    }

    private void StopWatch()
    {
        _watch?.Dispose();
        _either?.Dispose();
    }

    /// <summary>Interrupts a read that waits too long. An upgraded connection may be silent.</summary>
    private void WatchRead()
    {
        if (_waitingSince == NotWaiting && _settings.IdleTimeout != Timeout.InfiniteTimeSpan && Switched is null)
        {
            Volatile.Write(ref _waitingSince, _settings.Clock.GetTimestamp());
            if (_watch is null)
            {
                _sentBefore = _send.ContentSent;
                _watch = _settings.Clock.CreateTimer(
                    static exchange => ((Exchange)exchange!).OnWatch(),
                    this,
                    Timeout.InfiniteTimeSpan,
                    Timeout.InfiniteTimeSpan);
                _watch.Change(_settings.IdleTimeout, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>
    /// One timer for all reads: checks when the current one began, and is set again. Progress of the request body
    /// counts too.
    /// </summary>
    private void OnWatch()
    {
        long since = Volatile.Read(ref _waitingSince);
        long sent = _send.ContentSent;
        TimeSpan left = _settings.IdleTimeout;
        if (since != NotWaiting && sent == _sentBefore)
        {
            left -= _settings.Clock.GetElapsedTime(since);
        }

        _sentBefore = sent;
        if (left <= TimeSpan.Zero && _either is { } either)
        {
            try
            {
                _hasTimedOut = true;
                either.Cancel();
                return;
            }
            catch (ObjectDisposedException)
            {
                // That read has ended in the meantime.
                _hasTimedOut = false;
            }
        }

        _watch!.Change(left > TimeSpan.Zero ? left : _settings.IdleTimeout, Timeout.InfiniteTimeSpan);
    }

    /// <summary>
    /// Drops the unread content. From now on disposal does not close the connection. If more than END_REQUEST is
    /// missing, the connection is closed, which aborts the request (FastCGI 1.0, section 5.4). It is not kept, because
    /// some applications answer an aborted request twice, and the next request would have the same id.
    /// </summary>
    private void Abandon()
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        StopWatch();
        if (Switched is null && _send.IsComplete && IsWhole())
        {
            _ = AwaitEndAsync();
        }
        else
        {
            GiveBack(keep: false);
        }
    }

    /// <summary>True if all content has been received, even if it was not read.</summary>
    private bool IsWhole()
    {
        try
        {
            DropContent();
        }
        catch (Exception)
        {
            // The bytes are invalid, or a callback of the caller has failed.
        }

        return _length.IsKnownToBeWhole || _reader.IsEnded;
    }

    /// <summary>Returns the connection when END_REQUEST has come. Never throws.</summary>
    private async Task AwaitEndAsync()
    {
        bool keep = false;
        try
        {
            using var limit = new CancellationTokenSource(_settings.IdleTimeout, _settings.Clock);
            int excess = 0;
            while (!_reader.IsEnded && excess <= MaxExcess
                && await _receiver.ReceiveAsync(limit.Token).ConfigureAwait(false))
            {
                excess += DropContent();
            }

            keep = CanKeep;
        }
        catch (Exception)
        {
            // The connection cannot be used any more, whatever the reason. A callback or a stream of the caller may
            // throw any exception, and the place in the pool must not be lost.
        }

        GiveBack(keep);
    }

    /// <summary>Drops received bytes. Returns how many of them came after the end of the content.</summary>
    private int DropContent()
    {
        int excess = 0;
        do
        {
            excess += _content.Length - _length.Take(_content.Length);
        }
        while (TryReadContent());
        return excess;
    }

    /// <summary>Closes the connection. Waits only for content to be sent again; other content may never end.</summary>
    private async ValueTask GiveUpAsync()
    {
        _connection.Close();
        Task sending = _send.StopAsync();
        if (_send.CanRepeat)
        {
            await sending.ConfigureAwait(false);
        }

        Discard();
    }

    private Exception Explain(Exception exception)
    {
        Exception reason = _hasTimedOut ? Idle() : _send.ContentFailure
            ?? (exception is IOException or ObjectDisposedException ? Lost(exception) : exception);
        return reason is FastCgiException known
            ? new HttpIOException(FastCgiException.Classify(known.Error), known.Message, known)
            : reason;
    }

    private FastCgiException Idle() => new(
        FastCgiError.ResponseIdleTimeout,
        $"{Endpoint} sent nothing of its response for {_settings.IdleTimeout.TotalSeconds} s (ResponseIdleTimeout). " +
        "Look for the reason in the application's log, or raise the timeout.");

    private FastCgiException Lost(Exception exception) => new(
        FastCgiError.ConnectionLost,
        $"The connection to {Endpoint} was lost before the response was whole: {exception.Message} Look for the " +
        "reason in the application's log.",
        exception);
}
