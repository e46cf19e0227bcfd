namespace FastCgi.Testing.Connections;

/// <summary>The web server's end of a connection: a socket, or memory.</summary>
internal interface IConnectionEnd
{
    /// <summary>Its bytes; the disposal closes the connection.</summary>
    Stream Stream { get; }

    /// <summary>
    /// Returns when the other end has received everything, or lost the connection. Returns at once where the system
    /// does not tell.
    /// </summary>
    ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken);

    /// <summary>Closes by a reset, where the connection knows one.</summary>
    void Reset();
}
