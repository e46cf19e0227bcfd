using System.Diagnostics;

namespace FastCgi.FuzzTests.Harness;

/// <summary>What a leak would show in, as the kernel counts it.</summary>
public static class ProcessCounts
{
    public static int Descriptors => Directory.GetFiles("/proc/self/fd").Length;

    public static int Threads => Directory.GetDirectories("/proc/self/task").Length;

    /// <summary>Bytes of live objects, after everything that could be collected was.</summary>
    public static long LiveMemory
    {
        get
        {
            for (var i = 0; i < 3; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            return GC.GetTotalMemory(forceFullCollection: true);
        }
    }

    /// <summary>Resident memory of the process in bytes.</summary>
    public static long Resident
    {
        get
        {
            using var process = Process.GetCurrentProcess();
            return process.WorkingSet64;
        }
    }
}
