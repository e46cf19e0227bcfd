using System.Net;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>What a request asks of the connection that carries it.</summary>
internal interface IRequestConnection
{
    string Id { get; }

    EndPoint? LocalEndPoint { get; }

    EndPoint? RemoteEndPoint { get; }

    /// <summary>Cancelled on the thread pool when the socket has gone.</summary>
    CancellationToken Closed { get; }

    /// <summary>Cancelled on the thread pool when no further request is taken.</summary>
    CancellationToken CloseRequested { get; }

    /// <summary>
    /// What is sent is cut into records. False: the bytes of the response are sent as they are, and the close of the
    /// connection ends it.
    /// </summary>
    bool HasRecords { get; }

    /// <summary>A request that asks for it may take the connection over, see <see cref="FastCgiRequest.UpgradeAsync"/>.</summary>
    bool AllowsUpgrade { get; }

    /// <summary>
    /// What comes from now on is the upgraded stream of <paramref name="request"/>, and read to its end also when the peer
    /// leaves. False: it has left.
    /// </summary>
    bool TryUpgrade(FastCgiRequest request);

    /// <summary>Takes no request after those that are running.</summary>
    void RequestClose();

    /// <summary>Closes the socket at once, whatever else runs on it.</summary>
    void Abort(string reason);

    /// <summary>
    /// Sends whole records, in the order of the calls. <see cref="SendOutcome"/> says whose the buffer is afterwards.
    /// </summary>
    /// <param name="buffer">Where the records are.</param>
    /// <param name="offset">Where the first one begins.</param>
    /// <param name="count">The size of all of them.</param>
    /// <param name="isAnswer">
    /// The end of a response: nobody waits until it is sent, so it counts as an answer that the peer has to take.
    /// </param>
    SendOutcome Send(byte[] buffer, int offset, int count, bool isAnswer);

    /// <summary>
    /// Sends whole records that lie in three pieces, from where they are. Sent: all of it left or was copied. Queued:
    /// nothing was taken, since something else still waits to be sent.
    /// </summary>
    SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail);

    /// <summary>
    /// Sends whole records of which the last one's content is in a file. Sent: all of it left, or was read. Queued: nothing
    /// was taken, since something else still waits to be sent, or the socket cannot do it.
    /// </summary>
    SendOutcome TrySendFile(ReadOnlySpan<byte> head, FilePart content);

    /// <summary>More is unsent than the limit allows: whoever flushes has to wait.</summary>
    bool IsOutputFull { get; }

    /// <summary>
    /// Completes when the unsent bytes are below the limit again, with <paramref name="all"/> when there are none, or when
    /// the socket is lost.
    /// </summary>
    Task WaitForOutputAsync(bool all);

    /// <summary>
    /// The response of <paramref name="request"/> is ready to end. True: END_REQUEST has been handed to
    /// <see cref="Send"/> by <see cref="FastCgiRequest.SendEnd"/>, its id is free, and the socket closes now if it is not
    /// to be kept. False: an abort has ended it, or its body has not ended, see <see cref="AwaitEndOfBody"/>.
    /// </summary>
    bool TryEndRequest(FastCgiRequest request, ProtocolStatus status);

    /// <summary>
    /// The end of STDOUT has been handed to <see cref="Send"/>, and nothing of the response can come behind
    /// END_REQUEST any more: that follows when the unread body has ended or is given up.
    /// </summary>
    void AwaitEndOfBody(FastCgiRequest request);

    /// <summary>The response broke off: a record that no web server takes for an end, then a close.</summary>
    void Tear(FastCgiRequest request);

    /// <summary>The application has left; <paramref name="request"/> may be pooled once the wire is done with it too.</summary>
    void OnApplicationDone(FastCgiRequest request);

    /// <summary>
    /// Takes what the application of <paramref name="request"/> left to be done when its body goes on, for
    /// <see cref="FastCgiRequest.ContinueInline"/> when what was received has been routed. False: this is not the thread that routes, or it has such a thing already.
    /// </summary>
    bool TryContinueAfterRead(FastCgiRequest request, Action<object?> action, object? state);

    /// <summary>The body's reader has made room: the socket is read again.</summary>
    void ResumeReading();
}
