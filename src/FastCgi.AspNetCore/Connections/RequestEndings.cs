using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// How the requests of a connection end: answered, aborted, torn, timed out. Exactly one END_REQUEST for each
/// BEGIN_REQUEST. Everything here runs under the gate, but for <see cref="Recycle"/>; the connection looks afterwards
/// whether it has to close.
/// </summary>
internal sealed class RequestEndings(
    ServerContext server,
    ISlotHost host,
    IWireProtocol wire,
    SlotTable slots,
    ConnectionLife life,
    RequestPool pool)
{
    private ILogger Log => server.ConnectionLog;

    /// <summary>
    /// A response is ready to end: which records end it. The id is free when END_REQUEST is among them.
    /// </summary>
    public ResponseEnd Decide(RequestSlot slot)
    {
        if (slot.Stage != RequestStage.Running)
        {
            return ResponseEnd.None;
        }

        if (!slot.CanEndNow)
        {
            return ResponseEnd.Stdout;
        }

        if (slot.Request.IsUpgraded && !slot.Request.Body.HasEnded)
        {
            // The application may have completed its response alone: what it still reads would never come.
            slot.Request.Body.Fail(AbortReasons.ResponseEnded());
        }

        // The id is free before END_REQUEST leaves: the peer may begin it again the moment it reads that. The gate is
        // held until the records have left, so nothing comes between: no close, and no answer to the id's next request.
        Forget(slot);
        if (!life.KnowsPeer)
        {
            life.LearnPeer(slot.KeepConnection, slot.Request.IsFromNginx);
        }

        return life.IsLast(slot.KeepConnection, slots.Count) ? ResponseEnd.RequestAndConnection : ResponseEnd.Request;
    }

    /// <summary>The last bytes of a response leave with the records that end it, in one send.</summary>
    public void SendLast(RequestSlot slot, ArraySegment<byte> last, ResponseEnd end, ProtocolStatus status)
    {
        if (last.Array is not { } buffer)
        {
            return;
        }

        Span<byte> room = buffer.AsSpan(last.Offset + last.Count);
        int count = last.Count + wire.WriteEnd(room, slot.RequestId, end, status);
        if (end == ResponseEnd.None || count == 0)
        {
            server.Buffers.Return(buffer);
        }
        else
        {
            host.Output.SendAnswer(buffer, last.Offset, count);
        }
    }

    /// <summary>END_REQUEST has been handed to the send queue.</summary>
    public void AfterEnd(RequestSlot slot, ResponseEnd end)
    {
        if (end == ResponseEnd.RequestAndConnection || !slot.KeepConnection)
        {
            life.Close();
        }

        // The record that ends an empty body may still be on its way, and a peer that finds the socket closed by then
        // gives up before it has read the answer.
        life.Lingers |= life.IsEnding && !slot.Request.Body.HasEnded;
    }

    /// <summary>The body of a request whose response is out has ended, or is given up.</summary>
    public void FinishDraining(RequestSlot slot)
    {
        if (!slot.Request.Body.HasEnded)
        {
            // More of it may come at any moment. A peer that mixes requests has others here, and what still comes for a
            // free id is ignored. Else: half-close, let the peer finish, never use the socket again.
            ConnectionLogs.BodyNotDrained(Log, host.Id, slot.RequestId);
            life.Lingers = true;
            if (!slots.IsShared)
            {
                life.Close();
            }

            // Nothing of it is routed any more: an application that still reads must not wait for ever.
            slot.Request.Body.Fail(BodyFailures.GivenUp());
        }

        if (!slot.KeepConnection)
        {
            life.Close();
        }

        SendEndRequest(slot.RequestId);
        ForgetAndRecycle(slot);
    }

    /// <summary>The response broke off, and the connection ends with it.</summary>
    public void Tear(RequestSlot slot)
    {
        ConnectionLogs.Torn(Log, host.Id, slot.RequestId);
        life.Close();
        bool hasStarted = slot.Request.HasResponseStarted;
        Abort(slot, AbortReasons.ByApplication());
        BreakOff(hasStarted);
    }

    /// <summary>Ends a request for good: its application hears of it, its id is free.</summary>
    /// <returns>Its response breaks off: something of it had left, and its end had not.</returns>
    public bool Abort(RequestSlot slot, Exception reason)
    {
        bool breaksOff = slot.Request.OnPeerAborted(reason) && slot.Stage != RequestStage.Draining;
        ForgetAndRecycle(slot);
        return breaksOff;
    }

    /// <inheritdoc cref="Abort"/>
    /// <returns>At least one response breaks off.</returns>
    public bool AbortAll(Exception reason)
    {
        bool breaksOff = false;
        foreach (RequestSlot slot in slots.ToArray())
        {
            breaksOff |= Abort(slot, reason);
        }

        return breaksOff;
    }

    /// <summary>
    /// Aborts all, and tells the peer that responses broke off. An end of the stream alone would look like their end:
    /// web servers would pass half of a response on as a whole one.
    /// </summary>
    public void BreakOffAll(Exception reason)
    {
        bool breaksOff = AbortAll(reason);
        if (breaksOff && !host.Output.HasUnsent)
        {
            TellBreak();
        }

        if (host.Output.HasUnsent)
        {
            // What waits is never sent, be it of a response that had ended, and nothing gets past it.
            host.Transport.ResetOnClose();
        }
    }

    /// <summary>
    /// The peer sends no more: requests that came whole are answered; the others have lost their client.
    /// </summary>
    public void OnEndOfInput()
    {
        foreach (RequestSlot slot in slots.ToArray())
        {
            if (slot.Stage == RequestStage.Draining)
            {
                FinishDraining(slot);
            }
            else if (slot.Request.IsUpgraded)
            {
                // One of two directions. Where it was both, the connection or the heartbeat finds out.
                slot.Request.Body.End();
            }
            else if (!slot.Request.Body.IsWhole)
            {
                Abort(slot, AbortReasons.ConnectionLost());
            }
        }
    }

    /// <summary>
    /// The heartbeat has come. A request whose params do not end in time is answered, and its connection takes no
    /// other.
    /// </summary>
    /// <returns>False: the peer takes a response more slowly than it has to.</returns>
    public bool OnTick()
    {
        var slowness = new SlowRequestWatch(server, host);
        bool isFast = true;
        foreach (RequestSlot slot in slots.ToArray())
        {
            if (!slots.Contains(slot))
            {
                // A response that broke off has ended this request too, and the slot may serve another connection.
                continue;
            }

            if (slot.Stage is RequestStage.Params or RequestStage.AwaitingBody
                && server.Clock.HasPassed(server.Limits.RequestHeadersTimeout, slot.Request.BegunAt))
            {
                if (slot.Stage == RequestStage.Params)
                {
                    life.Close();
                    slot.Request.Head.Reject(CgiRejection.ParamsTimeout);
                    slot.Open();
                    slot.RunRejected();
                    continue;
                }

                // It is the first byte of a body without a length that does not come. From here on it counts as every
                // body does: while the application reads it.
                slot.Open();
                slot.RunElsewhere();
            }
            else if (slowness.IsOver(slot))
            {
                TimeOut(slot, slowness);
            }
            else
            {
                slowness.Tell(slot);
                isFast &= slot.OnTick(server.Clock);
            }
        }

        return isFast;
    }

    /// <summary>RequestTimeout is over: 504 if nothing of the response has left, else it breaks off.</summary>
    private void TimeOut(RequestSlot slot, SlowRequestWatch slowness)
    {
        bool hasBody = !slot.Request.Body.HasEnded;
        bool keepsConnection = slot.KeepConnection;
        bool isHead = slot.Request.Head.Cgi.IsHead;
        ushort id = slot.RequestId;
        SlowRequestText text = slowness.Describe(slot);
        bool hasLeft = slot.Request.OnPeerAborted(AbortReasons.TimedOut());
        slowness.TellTimeout(text, hasLeft);
        ForgetAndRecycle(slot);
        if (hasLeft)
        {
            BreakOff(hasStarted: true);
            return;
        }

        Span<byte> answer = stackalloc byte[1024];
        int length = wire.WriteRefusal(
            answer, id, CgiRejection.RequestTimeout, ProtocolStatus.RequestComplete, isHead);
        host.Output.SendAnswer(answer[..length]);
        if (hasBody || !keepsConnection)
        {
            life.Close(lingers: hasBody);
        }
    }

    /// <summary>
    /// The connection ends, and tells that its response broke off if that <paramref name="hasStarted"/>, or one beside
    /// it.
    /// </summary>
    private void BreakOff(bool hasStarted)
    {
        life.Close();
        life.Lingers = wire.HasRecords;
        if (AbortAll(AbortReasons.ConnectionLost()) || hasStarted)
        {
            TellBreak();
        }
    }

    private void TellBreak()
    {
        if (!wire.Break.IsEmpty)
        {
            host.Output.SendAnswer(wire.Break);
        }
        else
        {
            // Without records a reset is all there is to tell of the break, and that must not follow an end of stream.
            host.Transport.ResetOnClose();
        }
    }

    /// <summary>Sends END_REQUEST alone, where the protocol has it.</summary>
    public void SendEndRequest(ushort requestId)
    {
        Span<byte> record = stackalloc byte[RecordWriter.EndRequestRecordSize];
        int length = wire.WriteEndRequest(record, requestId);
        if (length > 0)
        {
            host.Output.SendAnswer(record[..length]);
        }
    }

    /// <summary>The wire and the application are done with the request. With the gate or without.</summary>
    public void Recycle(RequestSlot slot)
    {
        pool.Return(slot);
        server.CloseRequest();
    }

    private void ForgetAndRecycle(RequestSlot slot)
    {
        Forget(slot);
        if (slot.IsInApplication)
        {
            pool.Abandoned.Add(slot);
            slots.Abandoned++;
        }
        else
        {
            Recycle(slot);
        }
    }

    private void Forget(RequestSlot slot)
    {
        slots.Remove(slot);
        slot.Forget();
        life.OnRequestEnded();
    }
}
