using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The connection of a request. What an application may keep holds the connection itself and not the pooled request,
/// which serves another connection by then: a late call never reaches a stranger.
/// </summary>
internal interface IRequestConnection : IBodySource
{
    string Id { get; }

    EndPoint? LocalEndPoint { get; }

    EndPoint? RemoteEndPoint { get; }

    /// <summary>The application may look at it and set its options.</summary>
    Socket Socket { get; }

    /// <summary>Tags that the metric of the connection's duration gets; null where nobody measures that.</summary>
    ICollection<KeyValuePair<string, object?>>? MetricsTags { get; }

    /// <summary>Cancelled on the thread pool when the socket is gone.</summary>
    CancellationToken Closed { get; }

    /// <summary>Cancelled on the thread pool when the connection takes no further request.</summary>
    CancellationToken CloseRequested { get; }

    /// <summary>
    /// True when responses are cut into records. False: the bytes of the response are sent as they are, and the close
    /// of the connection ends it.
    /// </summary>
    bool HasRecords { get; }

    /// <summary>A request that asks for it may take the connection over, see <see cref="ConnectionUpgrade"/>.</summary>
    bool AllowsUpgrade { get; }

    /// <summary>The folders whose files the web server sends itself; null for none.</summary>
    HandoverFolders? HandoverFolders { get; }

    /// <summary>Where the records of the responses go.</summary>
    ISendQueue Output { get; }

    /// <summary>The application keeps the thread that received the request: others read the socket.</summary>
    void OnThreadKept();

    /// <summary>The connection takes no request after those that are running.</summary>
    void RequestClose();

    /// <summary>Closes the socket at once, whatever else runs on it.</summary>
    void Abort(string reason);

    /// <summary>
    /// From now on the peer's bytes are the upgraded stream of this request, and they are read to their end even if the
    /// peer leaves. False: the peer has left already.
    /// </summary>
    bool TryUpgrade(FastCgiRequest request);

    /// <summary>
    /// Ends the response: the connection decides which records end it, sends those behind <paramref name="last"/>, and
    /// does what follows (a close, or the drain of an unread body). Nothing comes between: no close, and no answer to a
    /// request that has the same id next because its peer did not wait.
    /// </summary>
    /// <param name="request">The request, which runs.</param>
    /// <param name="last">
    /// The last bytes, none or whole records. The buffer becomes the connection's, and has
    /// <see cref="RecordWriter.EndOfResponseSize"/> bytes of room behind them. Default: nothing can leave any more.
    /// </param>
    /// <param name="status">What END_REQUEST says.</param>
    /// <returns>
    /// True: END_REQUEST is among the records, so the application alone has the request. False: its body is still to
    /// come, or an abort has ended it.
    /// </returns>
    bool End(FastCgiRequest request, ArraySegment<byte> last, ProtocolStatus status);

    /// <summary>The response broke off: sends a record that no web server takes for an end, then closes.</summary>
    /// <param name="request">The pooled object of the request.</param>
    /// <param name="owner">
    /// The response; null where there is none yet. Nothing happens if the object serves another request by now.
    /// </param>
    void Tear(FastCgiRequest request, object? owner);

    /// <summary>The application has left; the request may be pooled when the wire is done with it too.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isOffTheWire">It is: <see cref="End"/> was true.</param>
    void OnApplicationDone(FastCgiRequest request, bool isOffTheWire);
}

/// <summary>The bytes that leave the socket of a request: whole records, in the order of the calls.</summary>
internal interface ISendQueue
{
    /// <summary>More is unsent than the limit allows, so a flush has to wait.</summary>
    bool IsFull { get; }

    /// <summary>Sends whole records. <see cref="SendOutcome"/> says who owns the buffer afterwards.</summary>
    /// <param name="buffer">Where the records are.</param>
    /// <param name="offset">Where the first record begins.</param>
    /// <param name="count">The size of all records.</param>
    SendOutcome Send(byte[] buffer, int offset, int count);

    /// <summary>
    /// Sends whole records that lie in three pieces, without a copy. Sent: everything left or was copied. Queued:
    /// nothing was taken, because earlier records still wait to be sent.
    /// </summary>
    SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail);

    /// <summary>
    /// Reserves the place of <paramref name="count"/> bytes for <see cref="SendFile"/>, which has to follow. False:
    /// earlier records still wait to be sent or the socket cannot send files (Queued), or it is lost.
    /// </summary>
    bool TryReserve(int count, out SendOutcome refusal);

    /// <summary>
    /// Sends whole records in the place that was reserved for them; the content of the last one is in a file. Sent:
    /// everything left, or was read.
    /// </summary>
    SendOutcome SendFile(ReadOnlySpan<byte> head, FilePart content);

    /// <summary>
    /// Calls <paramref name="waiter"/> once, when it has the room that it waits for, or when the socket is lost. False,
    /// and no call, when it is so now.
    /// </summary>
    bool TryAwaitRoom(IRoomWaiter waiter);

    /// <summary>Ends a wait without a call. False: it was called, or is about to be.</summary>
    bool TryForget(IRoomWaiter waiter);
}

/// <summary>Waits until the socket has taken enough of what was sent.</summary>
internal interface IRoomWaiter
{
    /// <summary>Waits until nothing is unsent; else until the unsent bytes are below the limit again.</summary>
    bool WaitsForAll { get; }

    /// <summary>There is room, or the socket is lost. Called once for each wait, on any thread.</summary>
    void OnRoom();
}

/// <summary>The fate of a buffer that was given to be sent.</summary>
internal enum SendOutcome
{
    /// <summary>All of it is in the socket; the buffer is the caller's again.</summary>
    Sent,

    /// <summary>Some of it waits; the buffer belongs to the connection, which returns it to the pool.</summary>
    Queued,

    /// <summary>The socket is lost; the buffer is the caller's again.</summary>
    Lost,

    /// <summary>
    /// As sent, but a file had become shorter: zeros stand for what is missing, so the response has to break off.
    /// </summary>
    Truncated,
}
