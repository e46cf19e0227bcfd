namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The source of a thread's events. A seam: tests script them.</summary>
internal interface IEventSource
{
    int Wait(Span<byte> memory, int timeoutMilliseconds);
}
