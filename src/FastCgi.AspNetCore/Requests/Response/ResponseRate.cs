using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Whether the web server takes a response fast enough. Counts the time in which a write waited for it, so an
/// application that writes slowly costs the client nothing. The heartbeat looks once a second; the connection's gate
/// guards it.
/// </summary>
internal struct ResponseRate
{
    private TimeSpan _waited;

    /// <summary>
    /// One look, <paramref name="sinceLast"/> after the one before. True: writes have waited for longer than the grace
    /// period, and for longer than <paramref name="least"/> allows for all bytes.
    /// </summary>
    /// <param name="writtenWhileWaiting">Bytes of the body so far; null while no write waits.</param>
    /// <param name="sinceLast">Counts if a write waits now.</param>
    /// <param name="least">Null for no limit.</param>
    public bool IsTooLow(long? writtenWhileWaiting, TimeSpan sinceLast, MinDataRate? least)
    {
        if (least is null || writtenWhileWaiting is not long written)
        {
            return false;
        }

        _waited += sinceLast;
        return _waited > least.GracePeriod && written < least.BytesPerSecond * _waited.TotalSeconds;
    }
}
