namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The last descriptors of the process, which no connection takes: they are for the files and the threads of the
/// application. A thread needs two while it starts, and .NET ends a process whose thread pool cannot start one.
/// </summary>
/// <remarks>
/// The system gives the lowest number that is free. So a connection has a number of the reserve only if all others are
/// in use.
/// </remarks>
internal sealed partial class DescriptorReserve
{
    private const int Least = 32;
    private const int Most = 1024;

    private readonly int _first;

    public DescriptorReserve(int limit, int used)
    {
        int free = limit - used;
        Limit = limit;

        // Half of them, since a handler needs descriptors too. One connection can be served in any case.
        Count = Math.Clamp(Least + ((free - Least) / 2), 0, Math.Min(Most, Math.Max(free - 1, 0)));
        _first = limit - Count;
    }

    /// <summary>The descriptors that the process may have: RLIMIT_NOFILE.</summary>
    public int Limit { get; }

    public int Count { get; }

    /// <summary>The reserve of this process, from what it uses now; null where the system does not tell.</summary>
    public static DescriptorReserve? OfProcess()
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        int limit = SizeOfDescriptorTable();
        return limit > 0 && TryFindLowestFree(out int lowestFree, out _)
            ? new DescriptorReserve(limit, lowestFree)
            : null;
    }

    /// <summary>The system as a whole has no descriptor left, and not only this process.</summary>
    public static bool IsSystemExhausted() =>
        !TryFindLowestFree(out _, out int error) && error == ErrorNumber.TooManyFilesInSystem;

    /// <summary>Whether a connection with this descriptor has taken one of the reserve.</summary>
    public bool Contains(nint descriptor) => descriptor >= _first;

    /// <summary>Whether the next connection would take a descriptor of the reserve, or get none.</summary>
    public bool IsNext() => TryFindLowestFree(out int lowestFree, out int error)
        ? lowestFree >= _first
        : error is ErrorNumber.TooManyFiles or ErrorNumber.TooManyFilesInSystem;

    private static bool TryFindLowestFree(out int descriptor, out int error)
    {
        descriptor = -1;
        error = 0;
        try
        {
            using var lowestFree = File.OpenHandle("/dev/null");
            descriptor = (int)lowestFree.DangerousGetHandle();
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The error number: those of too many files are the same on every system.
            error = exception.HResult;
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "getdtablesize")]
    private static partial int SizeOfDescriptorTable();
}
