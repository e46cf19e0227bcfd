using FastCgi.AspNetCore.Requests;

namespace FastCgi.AspNetCore.Connections;

/// <summary>Receives the bytes and the ends that a <see cref="ReadLoop"/> reads.</summary>
internal interface IReadTarget
{
    /// <summary>
    /// Routes what was received and adds to <paramref name="ready"/> what became ready. Calls
    /// <see cref="ReadLoop.EndReceive"/> under its gate. False: the connection reads no more.
    /// </summary>
    bool TryRoute(ReadOnlySpan<byte> received, bool isFirst, ref ReadyWork ready);

    /// <summary>The socket was empty. As above, calls <see cref="ReadLoop.EndReceive"/> under its gate.</summary>
    void OnNothingReceived();

    /// <summary>
    /// The stream has ended, on a unix socket perhaps only the peer's sending half. The role is not given back.
    /// </summary>
    void OnEndOfInput();

    /// <summary>The socket is lost.</summary>
    void OnReset();

    /// <summary>The reader has paused for <paramref name="request"/>. False: there is nothing to wait for.</summary>
    bool TryPauseFor(FastCgiRequest request);

    /// <summary>The peer does not take its answers, and the reader pauses until it does.</summary>
    void OnAnswersUntaken();
}
