namespace FastCgi.Testing.Connections;

/// <summary>The web server's end of a connection: a socket, or memory.</summary>
internal interface IConnectionEnd
{
    /// <summary>The bytes of the connection. Disposal closes it.</summary>
    Stream Stream { get; }

    /// <summary>
    /// Returns when the other end has received all bytes or lost the connection. Returns at once if the system does not
    /// report that.
    /// </summary>
    ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken);

    /// <summary>Closes with a reset, if the connection supports one.</summary>
    void Reset();
}
