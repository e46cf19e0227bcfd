using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// Whether a body arrives fast enough. Counts the time in which a read waited, as Kestrel does, so an application that
/// does not read costs the client nothing. The heartbeat looks once a second; the connection's gate guards it.
/// </summary>
internal struct BodyRate
{
    private TimeSpan _waited;

    /// <summary>
    /// One look, <paramref name="sinceLast"/> after the one before. True: the read has waited for longer than the grace
    /// period, and less came than <paramref name="least"/>.
    /// </summary>
    public bool IsTooLow(RequestBody body, TimeSpan sinceLast, MinDataRate? least)
    {
        if (least is null || !body.HasPendingRead)
        {
            return false;
        }

        _waited += sinceLast;
        return _waited > least.GracePeriod && body.Received < least.BytesPerSecond * _waited.TotalSeconds;
    }
}
