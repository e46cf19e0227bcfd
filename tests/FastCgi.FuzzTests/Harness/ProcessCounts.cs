using System.Diagnostics;
using System.Runtime.InteropServices;

namespace FastCgi.FuzzTests.Harness;

/// <summary>What a leak would show in, as the kernel counts it.</summary>
public static class ProcessCounts
{
    /// <summary>Sockets, epoll sets and event descriptors. The runtime opens files of its own as it loads code.</summary>
    public static int Descriptors => DescriptorTargets().Count(IsOfSockets);

    /// <summary>Without those of the thread pool, which comes and goes as it likes: a busy machine makes it grow.</summary>
    public static int Threads => Directory.GetDirectories("/proc/self/task").Length - ThreadPool.ThreadCount;

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

/// <summary>The soft limit of open descriptors, RLIMIT_NOFILE. Its end puts the former one back.</summary>
public sealed partial class DescriptorLimit : IDisposable
{
    private const int OpenFiles = 7;

    private readonly Limits _former;

    private DescriptorLimit(ulong soft)
    {
        _former = Get();
        Set(_former with { Soft = Math.Min(soft, _former.Hard) });
    }

    public static ulong Current => Get().Soft;

    public static DescriptorLimit AsHighAsAllowed() => new(ulong.MaxValue);

    /// <summary>No further descriptor can be opened by anybody in this process.</summary>
    public static DescriptorLimit Exhausted()
    {
        using var lowestFree = File.OpenHandle("/dev/null");
        return new((ulong)lowestFree.DangerousGetHandle());
    }

    public void Dispose() => Set(_former);

    private static Limits Get() =>
        getrlimit(OpenFiles, out var limits) == 0 ? limits : throw new InvalidOperationException("getrlimit failed.");

    private static void Set(Limits limits)
    {
        if (setrlimit(OpenFiles, limits) != 0)
        {
            throw new InvalidOperationException($"setrlimit failed: error {Marshal.GetLastPInvokeError()}.");
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int setrlimit(int resource, in Limits limits);

    private readonly record struct Limits(ulong Soft, ulong Hard);
}

/// <summary>
/// Keeps the thread pool at the threads that it has. Until the end of this object it starts no other one, however long
/// work waits; this project's settings let none of them go.
/// </summary>
public sealed class SpareThreads : IDisposable
{
    private readonly int _fewestWorkers;
    private readonly int _mostWorkers;
    private readonly int _completions;
    private readonly int _mostCompletions;

    private SpareThreads(int count)
    {
        ThreadPool.GetMinThreads(out _fewestWorkers, out _completions);
        ThreadPool.GetMaxThreads(out _mostWorkers, out _mostCompletions);
        int kept;
        do
        {
            kept = Math.Max(count, ThreadPool.ThreadCount);
            Keep(kept, kept);
            RunAtOnce(kept);
        }
        while (ThreadPool.ThreadCount > kept);
    }

    /// <summary>Ends when so many threads, and all that the pool has, have run at the same time.</summary>
    public static Task<SpareThreads> StartAsync(int count) =>
        // The thread that waits is none of the pool, which would have one less to run.
        Task.Factory.StartNew(
            () => new SpareThreads(count),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

    public void Dispose()
    {
        ThreadPool.SetMinThreads(_fewestWorkers, _completions);
        ThreadPool.SetMaxThreads(_mostWorkers, _mostCompletions);
    }

    private void Keep(int fewest, int most)
    {
        if (!ThreadPool.SetMaxThreads(most, _mostCompletions) || !ThreadPool.SetMinThreads(fewest, _completions))
        {
            throw new InvalidOperationException($"The pool cannot be kept at {most} threads.");
        }
    }

    private static void RunAtOnce(int count)
    {
        var all = new Barrier(count + 1);
        for (var i = 0; i < count; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ => all.SignalAndWait(), state: null);
        }

        all.SignalAndWait();
    }
}
