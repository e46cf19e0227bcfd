using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Holds the head of a response back while the request body is still arriving. nginx stops sending the body once it
/// has seen the head, so an application that answers while it reads (an echo, a filter, a proxy) would wait for ever
/// for the rest of it.
/// </summary>
/// <remarks>
/// The rule, in whole:
/// <list type="bullet">
/// <item>A head is held when the application flushes it after it began to read the body and before the body has come.
/// An application that has not looked at the body, has completed its reader, or was refused the body (413) is never
/// delayed: event streams, long polling and early answers leave as ever.</item>
/// <item>While it is held, the connection reads ahead, first into memory, then into a temporary file, so that the body
/// arrives whatever the application waits for. The application goes on; beyond <see cref="MaxBytes"/> of response its
/// flush waits.</item>
/// <item>It leaves at the first of: the body is whole; the application ends its response; the body's reader is
/// completed; and, where the length of the body is unknown, nothing of it has come for a <see cref="Quiet"/> time. That
/// is a client that waits for an answer before it goes on sending, and nginx, unbuffered, passes such bodies without a
/// length. A body of known length is never given up: nginx has promised it, and a stall of its disk is no end.</item>
/// </list>
/// </remarks>
internal sealed class UploadHold(
    ResponseRecords records, RequestBody body, ServerContext server, IRequestConnection connection)
{
    /// <summary>The bytes that may wait behind the head: half a block, which is in memory anyway.</summary>
    public const int MaxBytes = RecordBlock.MaxSize / 2;

    /// <summary>A sender of a body of unknown length that is quiet for so long waits for the response.</summary>
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1);

    private readonly TaskCompletionSource _ended = new(Probe.Continuations);
    private int _isOver; // 1 from the first End on.
    private ITimer? _timer;
    private long _received;

    private bool IsOver => Volatile.Read(ref _isOver) != 0;

    /// <summary>Holds the response of <paramref name="owner"/>, or is over where the body has come meanwhile.</summary>
    public UploadHold Begin(object owner)
    {
        records.BeginUploadHold(owner, this);
        if (!body.TryReadAhead(End))
        {
            End();
        }
        else if (body.DeclaredLength is null)
        {
            WatchForQuiet();
        }

        return this;
    }

    /// <summary>Null: a flush of <paramref name="more"/> further bytes may go on. Else it waits for the task.</summary>
    public Task? WaitForRoom(long more) =>
        IsOver || records.BufferedBytes + more <= MaxBytes ? null : _ended.Task;

    /// <summary>Lets the head go, and what was flushed behind it. Any thread, any number of times.</summary>
    public void End()
    {
        if (Interlocked.Exchange(ref _isOver, 1) == 0)
        {
            PoolWork.Complete(_ended);
            try
            {
                records.EndUploadHold(this);
            }
            finally
            {
                Volatile.Read(ref _timer)?.Dispose();
            }
        }
    }

    private void WatchForQuiet()
    {
        _received = body.Received;
        Volatile.Write(ref _timer, server.TimeProvider.CreateTimer(
            static state => ((UploadHold)state!).OnTick(), this, Quiet, Quiet));
        if (IsOver)
        {
            _timer!.Dispose();
        }
    }

    private void OnTick()
    {
        try
        {
            long received = body.Received;
            if (received == _received)
            {
                End();
            }

            _received = received;
        }
        catch (Exception exception)
        {
            // An exception that leaves a timer ends the process, and the host's TimeProvider may throw anything.
            RequestLog.UploadHoldFailed(server.RequestLog, exception, connection.Id);
        }
    }
}
