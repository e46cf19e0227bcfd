namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The last descriptors of the process, reserved for the application's files and threads. A thread needs two while it
/// starts, and .NET ends a process whose thread pool cannot start one.
/// </summary>
/// <remarks>
/// The system returns the lowest free number. So a connection gets a number of the reserve only if all others are in
/// use.
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

        // Half of the free ones, because a handler needs descriptors too. At least one connection can always be served.
        Count = Math.Clamp(Least + ((free - Least) / 2), 0, Math.Min(Most, Math.Max(free - 1, 0)));
        _first = limit - Count;
    }

    /// <summary>The number of descriptors that the process may have: RLIMIT_NOFILE.</summary>
    public int Limit { get; }

    public int Count { get; }

    /// <summary>The reserve of this process, from its current use; null if the system does not report it.</summary>
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

    /// <summary>True if the whole system has no descriptor left, not only this process.</summary>
    public static bool IsSystemExhausted() =>
        !TryFindLowestFree(out _, out int error) && error == ErrorNumber.TooManyFilesInSystem;

    /// <summary>True if a connection with this descriptor uses the reserve.</summary>
    public bool Contains(nint descriptor) => descriptor >= _first;

    /// <summary>True if the next connection would use the reserve, or get no descriptor.</summary>
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
            // The errno value. Those for too many files are the same on every system.
            error = exception.HResult;
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "getdtablesize")]
    private static partial int SizeOfDescriptorTable();
}
