using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The reading role: receive, route, give the role back, and only then run what became ready, on this thread. An idle
/// connection holds no buffer: the few bytes of a record that has not wholly come live in their reader.
/// </summary>
internal abstract partial class PeerConnection
{
    private const int ReceiveSize = 16 * 1024;
    private const int LargeReceiveSize = 64 * 1024;

    // Written under the reading role only.
    private bool _inputEnded;
    private bool _isFirstRead = true;
    private bool _peerWasSlow;

    // The last receive brought more than a small buffer holds, and so will the next one: an upload.
    private bool _receivesMuch;

    // What the last read made ready. Written under the reading role and the gate.
    private RequestSlot? _ready;
    private RequestSlot? _slowReader;
    private bool _lastReadFilledBuffer;

    void ITransportHandler.OnReadable()
    {
        RequestSlot? ready = null;
        Continuation continuation = default;
        bool hasReadOn = false;
        byte[] buffer = Server.Buffers.Rent(_receivesMuch ? LargeReceiveSize : ReceiveSize);
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

                if (Output.HasUntakenAnswers)
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

                if ((ready is not null || continuation.IsThere) && _transport.HasOwnThreads)
                {
                    // More comes: it is reported anew, and whichever thread is free reads it, this one when it has run
                    // what is ready. To hand that over instead would wake the thread pool for each piece of an upload.
                    _transport.PauseReading();
                    _transport.ResumeReading();
                    break;
                }

                // What is ready does not wait until this thread has read it all.
                QueueToPool(ref ready);
                continuation.Queue();
                continuation = default;
            }
        }
        finally
        {
            Server.Buffers.Return(buffer);
        }

        if (ready is null)
        {
            continuation.RunInline();
        }
        else
        {
            continuation.Queue();
            ready.Request.RunInline();
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
            Drop(violation, isFirst ? Recognise(buffer.AsSpan(0, received)) : null);
            return false;
        }

        if (_lastReadFilledBuffer && buffer.Length < LargeReceiveSize)
        {
            Server.Buffers.Return(buffer);
            buffer = Server.Buffers.Rent(LargeReceiveSize);
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

    /// <summary>The first request that became ready has this thread first, the others wait for their turn.</summary>
    private RequestSlot? TakeReady(RequestSlot? already)
    {
        RequestSlot? ready = already ?? _ready;
        if (already is not null && _ready is not null)
        {
            InlineRuns.Enqueue(_ready.Request);
        }

        _ready = null;
        return ready;
    }

    private static void QueueToPool(ref RequestSlot? slot)
    {
        if (slot is not null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(slot.Request, preferLocal: false);
            slot = null;
        }
    }

    /// <summary>Stops reading until there is room for more of the body, if the request is still there to make any.</summary>
    private void Pause(RequestSlot slow)
    {
        _transport.PauseReading();
        lock (_gate)
        {
            // Before the body is asked: it may call for more the moment it has agreed to the pause.
            _paused = true;
            if (!Requests.Contains(slow) || !slow.Request.Body.TryPause(MayPause))
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
        if (!Output.TryAwaitTaking(ResumeReading))
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
            IsClosing = true;
            foreach (RequestSlot slot in Requests.ToArray())
            {
                if (slot.Stage == RequestStage.Draining)
                {
                    FinishDraining(slot);
                }
                else if (slot.Request.IsUpgraded)
                {
                    // One of two directions. Where it was both, the next lines or the heartbeat find out.
                    slot.Request.Body.End();
                }
                else if (!slot.Request.Body.IsWhole)
                {
                    AbortRequest(slot, FastCgiRequest.ConnectionLost());
                }
            }

            if (!_discarding && (Requests.Count > 0 || Output.HasUnsent))
            {
                _transport.PauseReading();
                CloseIfIdle();
                return false;
            }
        }

        Close(IsBetweenRecords ? ConnectionEndReason.ClientClosed : ConnectionEndReason.ConnectionReset);
        return false;
    }
}
