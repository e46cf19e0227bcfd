using System.Diagnostics;

namespace FastCgi.FuzzTests.Harness;

/// <summary>What a leak would show in, as the kernel counts it.</summary>
public static class ProcessCounts
{
    /// <summary>Sockets, epoll sets and event descriptors. The runtime opens files of its own as it loads code.</summary>
    public static int Descriptors => DescriptorTargets().Count(IsOfSockets);

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

    private static bool IsOfSockets(string target) =>
        target.StartsWith("socket:", StringComparison.Ordinal) || target.StartsWith("anon_inode:", StringComparison.Ordinal);

    private static IEnumerable<string> DescriptorTargets() =>
        new DirectoryInfo("/proc/self/fd").GetFiles().Select(file => file.LinkTarget ?? "");
}
