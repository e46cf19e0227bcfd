using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <content>
/// Requests: the services that a request uses, and its end: answered, aborted, torn or drained. Each BEGIN_REQUEST gets
/// exactly one END_REQUEST. The code that ends a request then checks whether the connection has to close.
/// </content>
internal sealed partial class PeerConnection
{
    /// <summary>Requests that have begun on this connection. Read by the heartbeat, without the gate.</summary>
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
    /// Logs the requests that the end of a stop is about to abort, at most <paramref name="unnamed"/> of them. Reduces
    /// <paramref name="unnamed"/> by their number.
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
        // This may be a late abort of a request that has just ended. Then the object may already serve another request.
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
        // The side that is done last, application or wire, recycles the request. If the wire is done, no other thread
        // changes the request, so the gate is not needed.
        if (isOffTheWire || LeaveApplication(request))
        {
            Recycle(request);
        }
    }

    /// <summary>Notes that the application is done with the request. True if the wire is done with it too.</summary>
    private bool LeaveApplication(FastCgiRequest request)
    {
        using Lock.Scope scope = LockOrder.Enter(_gate, LockRank.Gate);
        _requests.Abandoned -= request.IsAbandoned ? 1 : 0;
        return request.LeaveApplication();
    }

    /// <summary>Called when the send queue has the records that end the response. Under the gate.</summary>
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

            // The record that ends an empty body may still be on its way. A peer that finds the socket closed before it
            // has sent that record gives up without reading the answer.
            _life.Lingers |= _life.IsEnding && !request.Body.HasEnded;
            CloseIfIdle();
        }
    }

    /// <summary>Selects the records that end a completed response. If they have END_REQUEST, frees the id.</summary>
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
            // The application may have completed its response while it still reads: no more bytes would ever come.
            request.Body.Fail(AbortReasons.ResponseEnded());
        }

        // The id is free before END_REQUEST leaves, because the peer may reuse it at once. The gate is held until the
        // records have left, so no close and no answer to the next request with this id can come between.
        Forget(request);
        return _life.IsLast(request.KeepConnection, _requests.Count)
            ? ResponseEnd.RequestAndConnection
            : ResponseEnd.Request;
    }

    /// <summary>Sends the last bytes of a response and the records that end it, in one send.</summary>
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

    /// <summary>Ends a request whose response is complete, when its body has ended or is given up.</summary>
    private void FinishDraining(FastCgiRequest request)
    {
        if (!request.Body.HasEnded)
        {
            // More of the body may come at any moment. A peer that mixes requests has others on this socket, and
            // records for a free id are ignored. For other peers: half-close, let the peer finish, take no further
            // request.
            ConnectionLogs.RequestBodyNotEntirelyRead(Log, Id, request.RequestId);
            _life.Lingers = true;
            if (!_requests.IsShared)
            {
                _life.Close();
            }

            // No more of the body is routed to the request, so a read that still waits would never end.
            request.Body.Fail(BodyFailures.GivenUp());
        }

        if (!request.KeepConnection)
        {
            _life.Close();
        }

        SendEnd(request.RequestId, ResponseEnd.RequestAlone);
        ForgetAndRecycle(request);
    }

    /// <summary>Ends a request for good: tells its application, and frees its id.</summary>
    /// <returns>True if the response breaks off: some of it has left, and its end has not.</returns>
    private bool AbortRequest(FastCgiRequest request, Exception reason)
    {
        bool breaksOff = request.OnPeerAborted(reason) && request.Stage != RequestStage.Draining;
        ForgetAndRecycle(request);
        return breaksOff;
    }

    /// <inheritdoc cref="AbortRequest"/>
    /// <returns>True if at least one response breaks off.</returns>
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
    /// Aborts all requests, and tells the peer if responses broke off. The end of the stream alone would look like the
    /// end of a response: web servers would pass on half a response as a whole one.
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
            // The waiting bytes are never sent, even if their response had ended. Nothing can be sent after them.
            Transport.ResetOnClose();
        }
    }

    /// <summary>The peer sends no more. Requests that came whole are answered; the others are aborted.</summary>
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
                // Only one of the two directions has ended. If both have, the connection or the heartbeat finds out.
                request.Body.End();
            }
            else if (!request.Body.IsWhole)
            {
                AbortRequest(request, AbortReasons.ConnectionLost());
            }
        }
    }

    /// <summary>Ends the connection, and tells the peer if this response or another one broke off.</summary>
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
            // Without records, only a reset shows the break, and the reset must not follow an end of stream.
            Transport.ResetOnClose();
        }
    }

    /// <summary>Sends the records of an end without a response, if the protocol has them.</summary>
    private void SendEnd(ushort requestId, ResponseEnd end)
    {
        Span<byte> record = stackalloc byte[RecordWriter.EndRequestRecordSize];
        int length = _wire.WriteEnd(record, requestId, end, ProtocolStatus.RequestComplete);
        if (length > 0)
        {
            Output.SendAnswer(record[..length]);
        }
    }

    private void SendRefusal(ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead)
    {
        Span<byte> answer = stackalloc byte[1024];
        Output.SendAnswer(answer[.._wire.WriteRefusal(answer, requestId, reason, status, isHead)]);
    }

    /// <summary>Returns a request that the wire and the application are done with. Needs no gate.</summary>
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
    /// Waits for the end of an upload whose answer has already been sent. nginx stops sending such a body; Caddy sends
    /// all of it before it reads the answer. So END_REQUEST is sent at the end of STDIN, after a short pause without
    /// bytes, or after RequestBodyDrainTimeout. An application that reads after its answer still gets the body: each
    /// byte restarts that limit, and MinRequestBodyDataRate applies as before. No other request needs a timer of its
    /// own.
    /// </summary>
    private sealed class BodyDrain : IDisposable
    {
        private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(150);

        private readonly PeerConnection _connection;
        private readonly FastCgiRequest _request;
        private readonly ITimer _timer;

        // Guarded by the gate, like the received byte count of the request.
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
            // Otherwise the drain has ended in the meantime, and the request object may serve another request.
            if (_request.IsDrainedBy(this) && IsOver(connection._reader.HasArrived()))
            {
                connection.FinishDraining(_request);
                connection.CloseIfIdle();
            }
        });

        /// <summary>
        /// True if nothing has come since the last call and no read waits, or if the drain takes too long. Bytes that
        /// have <paramref name="arrived"/> count, even if they are not routed yet. Under the gate.
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
