using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Whether a body arrives, or a response is taken, fast enough. Counts only the time in which the application waited
/// for it, as Kestrel does: an application that does not read or write costs the client nothing. The heartbeat looks
/// once a second; the connection's gate guards it.
/// </summary>
internal struct WaitingRate
{
    /// <summary>Looks are left out while a thread works for the connection, maybe without a wait.</summary>
    public static readonly TimeSpan MostOfOneLook = TimeSpan.FromSeconds(1.5);

    private TimeSpan _waited;

    /// <summary>
    /// One look, <paramref name="sinceLast"/> after the one before. True: the application has waited for longer than
    /// the grace period, and for longer than <paramref name="least"/> allows for all bytes.
    /// </summary>
    /// <param name="bytesWhileWaiting">All bytes so far; null while the application does not wait.</param>
    /// <param name="sinceLast">Counts if it waits now, up to <see cref="MostOfOneLook"/>.</param>
    /// <param name="least">Null for no limit.</param>
    public bool IsTooLow(long? bytesWhileWaiting, TimeSpan sinceLast, MinDataRate? least)
    {
        if (least is null || bytesWhileWaiting is not long bytes)
        {
            return false;
        }

        _waited += sinceLast < MostOfOneLook ? sinceLast : MostOfOneLook;
        return _waited > least.GracePeriod && bytes < least.BytesPerSecond * _waited.TotalSeconds;
    }
}
