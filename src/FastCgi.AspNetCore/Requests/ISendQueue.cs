using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Requests;

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
