using System.Runtime.InteropServices;

namespace FastCgi.Benchmarks.Processes;

/// <summary>
/// The CPU clock of a process: user and system time of all its threads, those that ended too, in nanoseconds.
/// <c>/proc</c> counts in hundredths of a second, of which each of many small processes may not fill one.
/// </summary>
internal static partial class CpuClock
{
    // What clock_getcpuclockid(3) makes of a process: its id inverted, and the clock that the scheduler keeps.
    private const int IdShift = 3;
    private const int SchedulerClock = 2;

    /// <returns>Null when the process has ended.</returns>
    public static TimeSpan? Read(int process) =>
        GetTime((~process << IdShift) | SchedulerClock, out var time) == 0
            ? TimeSpan.FromSeconds(time.Seconds) + TimeSpan.FromMicroseconds(time.Nanoseconds / 1000.0)
            : null;

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int GetTime(int clock, out Time time);

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Time
    {
        public readonly nint Seconds;
        public readonly nint Nanoseconds;
    }
}
