namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>What a thread gets its events from. A seam: tests script them.</summary>
internal interface IEventSource
{
    /// <inheritdoc cref="EpollSet.Wait(Span{byte}, int)"/>
    int Wait(Span<byte> memory, int timeoutMilliseconds);
}
