using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests.Slot;

/// <summary>
/// The place of one request on its connection: what the wire says about the request, and what the request asks of the
/// connection. A request keeps its slot for good; the slot belongs to a connection only while the request is served.
/// </summary>
internal interface IRequestSlot
{
    /// <exception cref="InvalidOperationException">No request is served.</exception>
    IRequestConnection Connection { get; }

    ushort RequestId { get; }

    FastCgiRole Role { get; }

    /// <summary>FCGI_KEEP_CONN (FastCGI 1.0, section 5.1).</summary>
    bool KeepConnection { get; }

    /// <summary>
    /// From now on the peer's bytes are the upgraded stream of this request, and they are read to their end even if the
    /// peer leaves. False: the peer has left already.
    /// </summary>
    bool TryUpgrade();

    /// <summary>
    /// Ends the response: the connection decides which records end it, sends those behind <paramref name="last"/>, and
    /// does what follows (a close, or the drain of an unread body). Nothing comes between: no close, and no answer to a
    /// request that has the same id next because its peer did not wait.
    /// </summary>
    /// <param name="last">
    /// The last bytes, none or whole records. The buffer becomes the connection's, and has
    /// <see cref="RecordWriter.EndOfResponseSize"/> bytes of room behind them. Default: nothing can leave any more.
    /// </param>
    /// <param name="status">What END_REQUEST says.</param>
    /// <returns>
    /// True: END_REQUEST is among the records, so the application alone has the request. False: its body is still to
    /// come, or an abort has ended it.
    /// </returns>
    bool End(ArraySegment<byte> last, ProtocolStatus status);

    /// <summary>The response broke off: sends a record that no web server takes for an end, then closes.</summary>
    /// <param name="owner">
    /// The response; null where there is none yet. Nothing happens if the slot serves another request by now.
    /// </param>
    void Tear(object? owner);

    /// <summary>The application has left; the request may be pooled when the wire is done with it too.</summary>
    /// <param name="isOffTheWire">It is: <see cref="End"/> was true.</param>
    void OnApplicationDone(bool isOffTheWire);

    /// <summary>
    /// Takes what the application does next when more of its body has come; <see cref="FastCgiRequest.ContinueInline"/>
    /// runs it when what was received has been routed. False: this thread does not route, or has such an action
    /// already.
    /// </summary>
    bool TryContinueAfterRead(Action<object?> action, object? state);
}
