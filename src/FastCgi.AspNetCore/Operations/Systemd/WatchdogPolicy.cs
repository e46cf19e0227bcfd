namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// Decides whether the server may say that it lives. It does as long as connections get through the queues that others
/// wait in, and while a limit of requests or descriptors is reached, as long as some requests end. A pure rule.
/// </summary>
internal sealed class WatchdogPolicy
{
    private long _endedBefore = -1;

    /// <param name="isOpen">The connections of every endpoint are served.</param>
    /// <param name="isFull">
    /// As many requests run as MaxConcurrentRequests allows, or as many connections are open as there are descriptors.
    /// </param>
    /// <param name="ended">Requests that have ended since the start; only compared.</param>
    public bool Lives(bool isOpen, bool isFull, long ended)
    {
        bool hasProgressed = ended != _endedBefore;
        if (isOpen && (!isFull || hasProgressed))
        {
            _endedBefore = ended;
            return true;
        }

        return false;
    }
}
