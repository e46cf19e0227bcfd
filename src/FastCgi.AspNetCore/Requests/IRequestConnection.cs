using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The connection of a request. Objects that an application may keep refer to the connection, not to the pooled
/// request, which may serve another connection later. So a late call never affects another request.
/// </summary>
internal interface IRequestConnection : IBodySource
{
    string Id { get; }

    EndPoint? LocalEndPoint { get; }

    EndPoint? RemoteEndPoint { get; }

    /// <summary>The socket. The application may inspect it and set its options.</summary>
    Socket Socket { get; }

    /// <summary>Tags for the metric of the connection's duration; null if it is not measured.</summary>
    ICollection<KeyValuePair<string, object?>>? MetricsTags { get; }

    /// <summary>Cancelled on the thread pool when the socket is closed.</summary>
    CancellationToken Closed { get; }

    /// <summary>Cancelled on the thread pool when the connection takes no further request.</summary>
    CancellationToken CloseRequested { get; }

    /// <summary>True if responses are cut into records. False if they are plain bytes until the close.</summary>
    bool HasRecords { get; }

    /// <summary>The options of the endpoint that accepted the connection.</summary>
    FastCgiListenOptions Endpoint { get; }

    /// <summary>The queue for the records of responses.</summary>
    ISendQueue Output { get; }

    /// <summary>Called if the application keeps the thread that received the request: others read the socket.</summary>
    void OnThreadKept();

    /// <summary>Lets the connection take no more requests. Those that run are completed.</summary>
    void RequestClose();

    /// <summary>Closes the socket at once, even if requests run on it.</summary>
    void Abort(string reason);

    /// <summary>
    /// Makes the peer's bytes the upgraded stream of this request. They are read to their end even if the peer leaves.
    /// False if the peer has already left.
    /// </summary>
    bool TryUpgrade(FastCgiRequest request);

    /// <summary>
    /// Ends the response: the connection decides which records end it, sends them after <paramref name="last"/>, and
    /// does what follows (a close, or the drain of an unread body). No close comes between, and no answer to a next
    /// request with the same id, even if its peer did not wait.
    /// </summary>
    /// <remarks>
    /// The last bytes are none, or whole records. The connection takes the buffer, which has
    /// <see cref="RecordWriter.EndOfResponseSize"/> bytes of room after them. Default if nothing can be sent any more.
    /// </remarks>
    /// <returns>
    /// True if END_REQUEST is among the records, so that only the application has the request. False if its body is
    /// still to come, or an abort has ended it.
    /// </returns>
    bool End(FastCgiRequest request, ArraySegment<byte> last, ProtocolStatus status);

    /// <summary>Breaks off the response: sends a record that no web server takes for an end, then closes.</summary>
    /// <remarks>
    /// <paramref name="owner"/> is the response, or null if there is none yet. Nothing happens if the pooled object
    /// already serves another request.
    /// </remarks>
    void Tear(FastCgiRequest request, object? owner);

    /// <summary>
    /// Called when the application has left. The last of wire and application frees the request.
    /// <paramref name="isOffTheWire"/> is true if the wire is done: <see cref="End"/> returned true.
    /// </summary>
    void OnApplicationDone(FastCgiRequest request, bool isOffTheWire);
}

/// <summary>Sends the bytes of a request's socket: whole records, in the order of the calls.</summary>
internal interface ISendQueue
{
    /// <summary>True if more is unsent than the limit allows, so that a flush has to wait.</summary>
    bool IsFull { get; }

    /// <summary>Sends whole records. The <see cref="SendOutcome"/> tells who owns the buffer afterwards.</summary>
    SendOutcome Send(byte[] buffer, int offset, int count);

    /// <summary>
    /// Sends whole records that lie in three pieces, without a copy. Sent: all bytes have left or were copied. Queued:
    /// nothing was taken, because earlier records are still unsent.
    /// </summary>
    SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail);

    /// <summary>
    /// Reserves the place of <paramref name="count"/> bytes for <see cref="SendFile"/>, which must follow. False if
    /// earlier records are unsent or the socket cannot send files (Queued), or if the socket is lost.
    /// </summary>
    bool TryReserve(int count, out SendOutcome refusal);

    /// <summary>
    /// Sends whole records in the reserved place. The content of the last one is in a file. Sent: all bytes have left
    /// or were read.
    /// </summary>
    SendOutcome SendFile(ReadOnlySpan<byte> head, FilePart content);

    /// <summary>
    /// Calls <paramref name="waiter"/> once, when there is the room that it waits for, or when the socket is lost.
    /// Returns false, without a call, if this is so already.
    /// </summary>
    bool TryAwaitRoom(IRoomWaiter waiter);

    /// <summary>Ends a wait without a call. False if the call has been made or is about to be.</summary>
    bool TryForget(IRoomWaiter waiter);
}

/// <summary>Waits until the socket has taken enough of the sent bytes.</summary>
internal interface IRoomWaiter
{
    /// <summary>True to wait until nothing is unsent, false to wait until the queue is below its limit.</summary>
    bool WaitsForAll { get; }

    /// <summary>Called once for each wait, on any thread, when there is room or the socket is lost.</summary>
    void OnRoom();
}

/// <summary>The outcome of a send, and the owner of its buffer.</summary>
internal enum SendOutcome
{
    /// <summary>All bytes are in the socket. The caller owns the buffer again.</summary>
    Sent,

    /// <summary>Some bytes wait. The connection owns the buffer, and returns it to the pool.</summary>
    Queued,

    /// <summary>The socket is lost. The caller owns the buffer again.</summary>
    Lost,

    /// <summary>As Sent, but zeros replace the end of a shortened file, so the response has to break off.</summary>
    Truncated,
}
