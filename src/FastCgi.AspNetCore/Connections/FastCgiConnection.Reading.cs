using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The reading role: receive, cut records, route, give the role back, and only then run what became ready, on this
/// thread. An idle connection holds no buffer: the few bytes of a record that has not wholly come live in the reader.
/// </summary>
internal sealed partial class FastCgiConnection
{
    private const int ReceiveSize = 16 * 1024;
    private const int LargeReceiveSize = 64 * 1024;

    // Written under the reading role only.
    private RecordReader _records;
    private FixedBodyReader _fixedBody;
    private GetValuesReader _getValues;
    private bool _inputEnded;
    private bool _isFirstRead = true;
    private bool _peerWasSlow;

    // The last receive brought more than a small buffer holds, and so will the next one: an upload.
    private bool _receivesMuch;

    // What the last read made ready. Written under the reading role and the gate.
    private FastCgiRequest? _ready;
    private FastCgiRequest? _slowReader;
    private bool _lastReadFilledBuffer;

    void ITransportHandler.OnReadable()
    {
        FastCgiRequest? ready = null;
        Continuation continuation = default;
        bool hasReadOn = false;
        byte[] buffer = _server.Buffers.Rent(_receivesMuch ? LargeReceiveSize : ReceiveSize);
        try
        {
            while (true)
            {
                bool goesOn = ReadOnce(ref buffer);

                // Before the role is given back, since the next thread to have it leaves its own here. After a violation
                // too: a request in front of it is aborted, and still has to leave through its application.
                ready = TakeReady(ready);
                continuation = TakeContinuation(continuation);
                if (!goesOn)
                {
                    break;
                }

                if (_slowReader is { } slow)
                {
                    _slowReader = null;
                    Pause(slow);
                    break;
                }

                if (_output.HasUntakenAnswers)
                {
                    PauseUntilAnswersAreTaken();
                    break;
                }

                if (_lastReadFilledBuffer && !hasReadOn)
                {
                    hasReadOn = true;
                    continue;
                }

                if (!_lastReadFilledBuffer && _transport.TryEndReading())
                {
                    break;
                }

                // More comes: what is ready does not wait until this thread has read it all.
                Queue(ref ready);
                continuation.Queue();
                continuation = default;
            }
        }
        finally
        {
            _server.Buffers.Return(buffer);
        }

        if (ready is null)
        {
            continuation.RunInline();
        }
        else
        {
            continuation.Queue();
            ready.RunInline();
        }
    }

    void ITransportHandler.OnPeerGone() => Lose(ConnectionEndReason.ConnectionReset);

    public void ResumeReading()
    {
        _paused = false;
        _transport.ResumeReading();
    }

    /// <summary>One receive and the routing of what it brought. False: nobody reads this socket any more.</summary>
    private bool ReadOnce(ref byte[] buffer)
    {
        Volatile.Write(ref _receiving, true);
        int received = _transport.Receive(buffer);
        _lastReadFilledBuffer = received == buffer.Length;
        _receivesMuch = received >= ReceiveSize;
        switch (received)
        {
            case TransportConnection.WouldBlock:
                OnNothingReceived();
                return true;
            case TransportConnection.Reset:
                Lose(ConnectionEndReason.ConnectionReset);
                return false;
            case 0:
                return OnEndOfInput();
        }

        ProtocolViolation violation;
        lock (_gate)
        {
            _receiving = false;
            if (_closed)
            {
                return false;
            }

            _routingThread = Environment.CurrentManagedThreadId;
            violation = _discarding ? ProtocolViolation.None : Route(buffer.AsSpan(0, received));
            _routingThread = 0;
            if (_stopping && violation == ProtocolViolation.None)
            {
                CloseIfIdle();
            }
        }

        bool isFirst = _isFirstRead;
        _isFirstRead = false;
        if (violation != ProtocolViolation.None)
        {
            Drop(violation, isFirst ? ForeignProtocol.Of(buffer.AsSpan(0, received)) : null);
            return false;
        }

        if (_lastReadFilledBuffer && buffer.Length < LargeReceiveSize)
        {
            _server.Buffers.Return(buffer);
            buffer = _server.Buffers.Rent(LargeReceiveSize);
        }

        return true;
    }

    private void OnNothingReceived()
    {
        lock (_gate)
        {
            _receiving = false;
            if (_stopping)
            {
                CloseIfIdle();
            }
        }
    }

    /// <summary>The first request that became ready may have this thread, the others go to the thread pool.</summary>
    private FastCgiRequest? TakeReady(FastCgiRequest? already)
    {
        if (already is not null && _ready is not null)
        {
            Queue(ref already);
        }

        FastCgiRequest? ready = _ready ?? already;
        _ready = null;
        return ready;
    }

    private void MakeReady(FastCgiRequest request)
    {
        request.Open();
        Queue(ref _ready);
        _ready = request;
    }

    private static void Queue(ref FastCgiRequest? request)
    {
        if (request is not null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(request, preferLocal: false);
            request = null;
        }
    }

    /// <summary>Stops reading until there is room for more of the body, if the request is still there to make any.</summary>
    private void Pause(FastCgiRequest slow)
    {
        _transport.PauseReading();
        lock (_gate)
        {
            // Before the body is asked: it may call for more the moment it has agreed to the pause.
            _paused = true;
            if (!_requests.Contains(slow) || !slow.Body.TryPause(MayPause))
            {
                ResumeReading();
            }
        }
    }

    /// <summary>What is not read makes no more answers for a peer that does not take those it has.</summary>
    private void PauseUntilAnswersAreTaken()
    {
        if (!_peerWasSlow)
        {
            _peerWasSlow = true;
            LogPeerDoesNotRead(Log, Id);
        }

        _transport.PauseReading();
        _paused = true;
        if (!_output.TryAwaitTaking(ResumeReading))
        {
            ResumeReading();
        }
    }

    /// <summary>
    /// End of stream. On a unix socket it may be only the peer's sending half: requests that came whole are answered,
    /// then the socket is closed; a request that is still arriving has lost its client.
    /// </summary>
    private bool OnEndOfInput()
    {
        lock (_gate)
        {
            _inputEnded = true;
            _closing = true;
            foreach (FastCgiRequest request in _requests.ToArray())
            {
                if (request.Stage == RequestStage.Draining)
                {
                    FinishDraining(request);
                }
                else if (!request.Body.IsWhole)
                {
                    AbortRequest(request, FastCgiRequest.ConnectionLost());
                }
            }

            if (!_discarding && (_requests.Count > 0 || _output.HasUnsent))
            {
                _transport.PauseReading();
                CloseIfIdle();
                return false;
            }
        }

        Close(_records.IsBetweenRecords ? ConnectionEndReason.ClientClosed : ConnectionEndReason.ConnectionReset);
        return false;
    }
}
