using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The set of a transport, and the table that finds who an event is for.</summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollRegistry(IEpollSet set)
{
    private volatile bool _isFull;

    /// <summary>The system watches no further descriptor (fs.epoll.max_user_watches), so nothing is accepted.</summary>
    public bool IsFull => _isFull;

    /// <summary>How often the log is told of connections that are lost by it.</summary>
    public LogInterval Refusals { get; } = new(TimeProvider.System);

    public EpollTargets Targets { get; } = new();

    /// <summary>
    /// Watches a descriptor for <paramref name="events"/> and reports what it is ready for at this moment. The error
    /// number; 0 for none, and for a descriptor that is closed by now.
    /// </summary>
    /// <remarks>The descriptor is referenced meanwhile: its number cannot go to a new connection.</remarks>
    public int Arm(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token)
    {
        bool isOurs = false;
        try
        {
            descriptor.DangerousAddRef(ref isOurs);
            nint number = descriptor.DangerousGetHandle();
            int error = isWatched
                ? set.TryModify(number, events, token)
                : set.TryAdd(number, events, token);
            if (error is ErrorNumber.NoSpace or ErrorNumber.OutOfMemory)
            {
                _isFull = true;
            }

            return error;
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

    /// <summary>Asks the system whether the set is still full.</summary>
    public bool IsStillFull()
    {
        if (set.HasRoom())
        {
            _isFull = false;
        }

        return _isFull;
    }
}
