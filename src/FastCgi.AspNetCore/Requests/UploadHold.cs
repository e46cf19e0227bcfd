using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Holds back the head of a response while the request body is still arriving. nginx stops sending the body when it
/// sees the head. An application that answers while it reads (an echo, a filter, a proxy) would then wait forever for
/// the rest.
/// </summary>
/// <remarks>
/// The complete rule:
/// <list type="bullet">
/// <item>A head is held if the application flushes it, or writes more than <see cref="MaxBytes"/> behind it, after it
/// began to read the body and before the body is complete. An application that has not read the body, has completed its
/// reader, or was refused the body (413) is never delayed: event streams, long polling and early answers leave as
/// usual.</item>
/// <item>Meanwhile the connection reads ahead, into memory and then into a temporary file, so that the body arrives
/// whatever the application waits for. The application continues, but a flush beyond <see cref="MaxBytes"/>
/// waits.</item>
/// <item>The head leaves when the body is complete, the application ends its response, or the body's reader is
/// completed. If the length of the body is unknown, it also leaves when no bytes have come for the <see cref="Quiet"/>
/// time: the client waits for an answer before it sends more. (Without buffering, nginx passes such bodies without a
/// length.) A body of known length is never given up: nginx has promised it, and a stall of its disk is no end.</item>
/// </list>
/// </remarks>
internal sealed class UploadHold(
    ResponseRecords records, RequestBody body, ServerContext server, IRequestConnection connection)
{
    /// <summary>Limit of the bytes that may wait with the head: half a block, which is in memory anyway.</summary>
    public const int MaxBytes = RecordBlock.MaxSize / 2;

    /// <summary>If a body of unknown length pauses for this time, its sender waits for the response.</summary>
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1);

    private readonly TaskCompletionSource _ended = new(Probe.Continuations);
    private int _isOver; // 1 after the first End.
    private ITimer? _timer;
    private long _received;

    private bool IsOver => Volatile.Read(ref _isOver) != 0;

    /// <summary>Holds the response of <paramref name="owner"/>. Ends at once if the body is already complete.</summary>
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

    /// <summary>The task that a flush of <paramref name="more"/> bytes must wait for, or null.</summary>
    public Task? WaitForRoom(long more) =>
        IsOver || records.BufferedBytes + more <= MaxBytes ? null : _ended.Task;

    /// <summary>Releases the head and the bytes flushed after it. Any thread, any number of times.</summary>
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
            // An exception in a timer would end the process, and the host's TimeProvider may throw.
            RequestLog.UploadHoldFailed(server.RequestLog, exception, connection.Id);
        }
    }
}
