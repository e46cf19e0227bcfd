namespace FastCgi.FuzzTests.Memory;

/// <summary>The other end of a <see cref="MemorySocket"/>.</summary>
internal interface ISocketPeer
{
    /// <summary>For the trace.</summary>
    void Tell(string what, int count = -1);

    void OnReceived(ReadOnlySpan<byte> bytes);

    /// <summary>The server ended its stream, or closed the socket.</summary>
    void OnOutputEnded(bool isClosed);

    /// <summary>There was no room for what the peer sends, and there is now.</summary>
    void OnInputRoom();
}
