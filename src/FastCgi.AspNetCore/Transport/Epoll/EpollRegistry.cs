using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The set of a transport, and the table that finds who an event is for.</summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollRegistry(IEpollSet set)
{
    /// <summary>From the token of an event to its target.</summary>
    public EpollTargets Targets { get; } = new();

    /// <summary>
    /// Watches a descriptor for <paramref name="events"/> and reports what it is ready for at this moment. The error
    /// number; 0 for none, and for a descriptor that is closed by now.
    /// </summary>
    /// <param name="descriptor">Referenced during the call: its number cannot go to a new connection meanwhile.</param>
    /// <param name="isWatched">Whether it is in the set already.</param>
    /// <param name="events">What to report.</param>
    /// <param name="token">What the events carry.</param>
    public int Arm(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token)
    {
        bool isOurs = false;
        try
        {
            descriptor.DangerousAddRef(ref isOurs);
            nint number = descriptor.DangerousGetHandle();
            return isWatched ? set.TryModify(number, events, token) : set.TryAdd(number, events, token);
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
        finally
        {
            if (isOurs)
            {
                descriptor.DangerousRelease();
            }
        }
    }
}
