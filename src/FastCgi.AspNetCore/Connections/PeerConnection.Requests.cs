using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <content>
/// Requests: what a request asks of its connection, and how it ends: answered, aborted, torn, drained. Exactly one
/// END_REQUEST for each BEGIN_REQUEST. Whoever ends a request looks afterwards whether the connection has to close.
/// </content>
internal sealed partial class PeerConnection
{
    /// <summary>Requests that have begun on this connection. The heartbeat asks, which waits for no gate.</summary>
    public long BegunRequests => Volatile.Read(ref _begun);

    public void DescribeRequests(ICollection<RequestSnapshot> requests)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            requests.Add(request.Describe(_begun));
        }
    }

    /// <summary>
    /// Names in the log what the end of a stop is about to abort: as many requests as <paramref name="unnamed"/>
    /// allows, which is less by them afterwards.
    /// </summary>
    public void NameForStop(ref int unnamed)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            if (unnamed-- > 0)
            {
                TimeSpan age = _server.TimeProvider.GetElapsedTime(request.BegunAt);
                ConnectionLogs.AbortedByStop(
                    Log,
                    Id,
                    request.RequestId,
                    request.DescribeTarget(),
                    age.TotalSeconds,
                    request.DescribeState());
            }
        }
    }

    public void ResumeReading() => _reader.Resume();

    public void OnThreadKept() => _reader.EndDeferral();

    public void OnContinuationFailed(Exception exception) =>
        RequestLog.ContinuationFailed(_server.RequestLog, exception, Id);

    public bool TryUpgrade(FastCgiRequest request)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        if (request.Stage != RequestStage.Running)
        {
            return false;
        }

        request.TurnToUpgraded();
        CountAsOrdinary(false);
        Transport.ReadToEnd();
        if (_reader.HasEnded)
        {
            request.Body.End();
        }

        return true;
    }

    public bool End(FastCgiRequest request, ArraySegment<byte> last, ProtocolStatus status)
    {
        ResponseEnd end;
        using (LockOrder.Enter(_gate, LockRank.Gate))
        {
            // 16. Decide: the id is free, and the gate stays held until step 18.
            end = Decide(request);
            try
            {
                SendLast(request, last, end, status);
            }
            finally
            {
                FinishEnd(request, end);
            }
        }

        return end >= ResponseEnd.Request;
    }

    public void Tear(FastCgiRequest request, object? owner)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        // The abort of a request that has just ended may find another one here.
        if (request.Stage != RequestStage.Ended && ReferenceEquals(request.Response, owner))
        {
            ConnectionLogs.ResponseTorn(Log, Id, request.RequestId);
            _life.Close();
            bool hasStarted = request.HasResponseStarted;
            AbortRequest(request, AbortReasons.ByApplication());
            BreakOff(hasStarted, ConnectionEndReason.AbortedByApplication);
            CloseIfIdle();
        }
    }

    public void OnApplicationDone(FastCgiRequest request, bool isOffTheWire)
    {
        // The last of application and wire recycles the request. If the wire has forgotten it, no other thread changes
        // it, so the gate is not needed.
        if (isOffTheWire || LeaveApplication(request))
        {
            Recycle(request);
        }
    }

    /// <summary>True: the wire is done with the request too.</summary>
    private bool LeaveApplication(FastCgiRequest request)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _requests.Abandoned -= request.IsAbandoned ? 1 : 0;
        return request.LeaveApplication();
    }

    /// <summary>The records that end the response have been handed to the send queue. Under the gate.</summary>
    private void FinishEnd(FastCgiRequest request, ResponseEnd end)
    {
        if (end == ResponseEnd.Stdout)
        {
            request.BeginDrain(new BodyDrain(this, request));
        }
        else if (end != ResponseEnd.None)
        {
            // 18. Finish: the next request may begin, or the connection closes.
            if (end == ResponseEnd.RequestAndConnection || !request.KeepConnection)
            {
                _life.Close();
            }

            // The record that ends an empty body may still be on its way, and a peer that finds the socket closed by
            // then gives up before it has read the answer.
            _life.Lingers |= _life.IsEnding && !request.Body.HasEnded;
            CloseIfIdle();
        }
    }

    /// <summary>The records that end a response that is ready. With END_REQUEST among them, the id is free.</summary>
    private ResponseEnd Decide(FastCgiRequest request)
    {
        if (request.Stage != RequestStage.Running)
        {
            return ResponseEnd.None;
        }

        if (!request.CanEndNow)
        {
            return ResponseEnd.Stdout;
        }

        _hasClientLeft = request.IsUpgraded && request.Body.HasEnded;
        if (request.IsUpgraded && !_hasClientLeft)
        {
            // The application may have completed its response alone: what it still reads would never come.
            request.Body.Fail(AbortReasons.ResponseEnded());
        }

        // The id is free before END_REQUEST leaves: the peer may begin it again the moment it reads that. The gate is
        // held until the records have left, so nothing comes between: no close, and no answer to the id's next request.
        Forget(request);
        return _life.IsLast(request.KeepConnection, _requests.Count)
            ? ResponseEnd.RequestAndConnection
            : ResponseEnd.Request;
    }

    /// <summary>The last bytes of a response leave with the records that end it, in one send.</summary>
    private void SendLast(FastCgiRequest request, ArraySegment<byte> last, ResponseEnd end, ProtocolStatus status)
    {
        if (last.Array is not { } buffer)
        {
            return;
        }

        Span<byte> room = buffer.AsSpan(last.Offset + last.Count);
        int count = last.Count + _wire.WriteEnd(room, request.RequestId, end, status);
        if (end == ResponseEnd.None || count == 0)
        {
            _server.Buffers.Return(buffer);
        }
        else
        {
            Output.SendAnswer(buffer, last.Offset, count);
        }
    }

    /// <summary>The body of a request whose response is out has ended, or is given up.</summary>
    private void FinishDraining(FastCgiRequest request)
    {
        if (!request.Body.HasEnded)
        {
            // More of it may come at any moment. A peer that mixes requests has others here, and what still comes for a
            // free id is ignored. Else: half-close, let the peer finish, never use the socket again.
            ConnectionLogs.RequestBodyNotEntirelyRead(Log, Id, request.RequestId);
            _life.Lingers = true;
            if (!_requests.IsShared)
            {
                _life.Close();
            }

            // Nothing of it is routed any more: an application that still reads must not wait for ever.
            request.Body.Fail(BodyFailures.GivenUp());
        }

        if (!request.KeepConnection)
        {
            _life.Close();
        }

        SendEndRequest(request.RequestId);
        ForgetAndRecycle(request);
    }

    /// <summary>Ends a request for good: its application hears of it, its id is free.</summary>
    /// <returns>Its response breaks off: something of it had left, and its end had not.</returns>
    private bool AbortRequest(FastCgiRequest request, Exception reason)
    {
        bool breaksOff = request.OnPeerAborted(reason) && request.Stage != RequestStage.Draining;
        ForgetAndRecycle(request);
        return breaksOff;
    }

    /// <inheritdoc cref="AbortRequest"/>
    /// <returns>At least one response breaks off.</returns>
    private bool AbortAllRequests(Exception reason)
    {
        bool breaksOff = false;
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            breaksOff |= AbortRequest(request, reason);
        }

        return breaksOff;
    }

    /// <summary>
    /// Aborts all, and tells the peer that responses broke off. An end of the stream alone would look like their end:
    /// web servers would pass half of a response on as a whole one.
    /// </summary>
    private void BreakOffAll(Exception reason)
    {
        bool breaksOff = AbortAllRequests(reason);
        if (breaksOff && !Output.HasUnsent)
        {
            TellBreak();
        }

        if (Output.HasUnsent)
        {
            // What waits is never sent, be it of a response that had ended, and nothing gets past it.
            Transport.ResetOnClose();
        }
    }

    /// <summary>The peer sends no more: whole requests are answered, the others have lost their client.</summary>
    private void EndInputOfRequests()
    {
        foreach (FastCgiRequest request in _requests.ToArray())
        {
            if (request.Stage == RequestStage.Draining)
            {
                FinishDraining(request);
            }
            else if (request.IsUpgraded)
            {
                // One of two directions. Where it was both, the connection or the heartbeat finds out.
                request.Body.End();
            }
            else if (!request.Body.IsWhole)
            {
                AbortRequest(request, AbortReasons.ConnectionLost());
            }
        }
    }

    /// <summary>The connection ends, and tells that a response broke off: this or one beside it.</summary>
    private void BreakOff(bool hasStarted, ConnectionEndReason reason)
    {
        _endReason ??= reason;
        _life.Close();
        _life.Lingers = _wire.HasRecords;
        if (AbortAllRequests(AbortReasons.ConnectionLost()) || hasStarted)
        {
            TellBreak();
        }
    }

    private void TellBreak()
    {
        if (!_wire.Break.IsEmpty)
        {
            Output.SendAnswer(_wire.Break);
        }
        else
        {
            // Without records a reset is all there is to tell of the break, and that must not follow an end of stream.
            Transport.ResetOnClose();
        }
    }

    /// <summary>Sends END_REQUEST alone, where the protocol has it.</summary>
    private void SendEndRequest(ushort requestId)
    {
        Span<byte> record = stackalloc byte[RecordWriter.EndRequestRecordSize];
        int length = _wire.WriteEndRequest(record, requestId);
        if (length > 0)
        {
            Output.SendAnswer(record[..length]);
        }
    }

    /// <summary>The wire and the application are done with the request. With the gate or without.</summary>
    private void Recycle(FastCgiRequest request)
    {
        _pool.Return(request);
        _server.CloseRequest();
    }

    private void ForgetAndRecycle(FastCgiRequest request)
    {
        Forget(request);
        if (request.IsInApplication)
        {
            _pool.Abandon(request);
            _requests.Abandoned++;
        }
        else
        {
            Recycle(request);
        }
    }

    private void Forget(FastCgiRequest request)
    {
        _requests.Remove(request);
        if (request.IsUpgraded && request.KeepConnection)
        {
            CountAsOrdinary(true);
        }

        request.Forget();
        _life.OnRequestEnded();
    }

    /// <summary>
    /// Waits for the end of an upload whose answer is already out. nginx stops sending such a body, Caddy sends it
    /// whole before it reads the answer. So END_REQUEST comes with the end of STDIN, or when nothing has come for a
    /// moment, or after RequestBodyDrainTimeout. An application that answered first and reads now gets its body: that
    /// limit begins again with each byte, and MinRequestBodyDataRate counts as before. The one timer that belongs to a
    /// request, and only to one of this kind.
    /// </summary>
    private sealed class BodyDrain : IDisposable
    {
        private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(150);

        private readonly PeerConnection _connection;
        private readonly FastCgiRequest _request;
        private readonly ITimer _timer;

        // Guarded by the gate, as what the request has received.
        private long _received;
        private long _limitBeginsAt;

        public BodyDrain(PeerConnection connection, FastCgiRequest request)
        {
            _connection = connection;
            _request = request;
            _received = request.Body.Received;
            _limitBeginsAt = Time.GetTimestamp();
            _timer = Time.CreateTimer(static state => ((BodyDrain)state!).OnTick(), this, Quiet, Quiet);
        }

        private TimeProvider Time => _connection._server.TimeProvider;

        public void Dispose() => _timer.Dispose();

        private void OnTick() => _connection.Run(connection =>
        {
            using Lock.Scope scope = LockOrder.Enter(connection._gate, LockRank.Gate);
            // Else it was ended meanwhile, and the request may serve another request by now.
            if (_request.IsDrainedBy(this) && IsOver(connection._reader.HasArrived()))
            {
                connection.FinishDraining(_request);
                connection.CloseIfIdle();
            }
        });

        /// <summary>
        /// Nothing has come since the last call, and no read waits for it; or it takes too long. Bytes that have
        /// <paramref name="arrived"/> count, though they are not routed yet. Under the gate.
        /// </summary>
        private bool IsOver(bool arrived)
        {
            long received = _request.Body.Received;
            bool quiet = received == _received && !arrived;
            if (_request.Body.IsAwaitedByReader)
            {
                quiet = false;
                _limitBeginsAt = received == _received ? _limitBeginsAt : Time.GetTimestamp();
            }

            _received = received;
            TimeSpan limit = _connection._server.Limits.RequestBodyDrainTimeout;
            return quiet
                || (limit != Timeout.InfiniteTimeSpan && Time.GetElapsedTime(_limitBeginsAt) >= limit);
        }
    }
}
