namespace FastCgi.AspNetCore.Transport;

/// <summary>Receives the reports of a <see cref="TransportConnection"/>, on threads of the transport.</summary>
internal interface ITransportHandler
{
    /// <summary>
    /// There may be something to read, and the handler now holds the reading role. It must give it back by
    /// <see cref="TransportConnection.TryEndReading"/> or <see cref="TransportConnection.PauseReading"/>, or close.
    /// It may use the thread for an application after that.
    /// </summary>
    void OnReadable();

    /// <summary>A <see cref="TransportConnection.SendLater"/> ended: all was sent, or the socket is lost.</summary>
    void OnSendCompleted(bool succeeded);

    /// <summary>
    /// The peer can neither send nor receive any more: a reset or a hang-up, and on TCP an end of stream too
    /// (a web server that closes has lost its client; on a unix socket a half-close is only the end of its input).
    /// May be called without the reading role, while reading is paused, and more than once.
    /// </summary>
    void OnPeerGone();
}
