namespace FastCgi.Benchmarks.Processes;

/// <summary>What the processes of a session have used: CPU time of user and system, and memory.</summary>
/// <param name="Cpu">Of all that live, and of their children that ended.</param>
/// <param name="MemoryBytes">Proportional set size: a page that several processes share is counted once.</param>
internal readonly record struct SessionUsage(TimeSpan Cpu, long MemoryBytes)
{
    /// <summary>USER_HZ, which is 100 on every Linux that .NET runs on.</summary>
    private const int TicksPerSecond = 100;

    // Behind the name in parentheses, so three less than proc(5) numbers them.
    private const int SessionField = 3;
    private const int UserTimeOfChildrenField = 13;
    private const int SystemTimeOfChildrenField = 14;

    public static SessionUsage Read(int session)
    {
        var cpu = TimeSpan.Zero;
        long memory = 0;
        foreach (string directory in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(directory), CultureInfo.InvariantCulture, out int process)
                && TryReadCpu(process, session) is { } cpuOfOne)
            {
                cpu += cpuOfOne;
                memory += ReadMemory(process);
            }
        }

        return new SessionUsage(cpu, memory);
    }

    public static SessionUsage Sum(IEnumerable<SessionUsage> sessions) => sessions.Aggregate(
        default(SessionUsage),
        static (sum, one) => new SessionUsage(sum.Cpu + one.Cpu, sum.MemoryBytes + one.MemoryBytes));

    /// <returns>Null for a process of another session, and for one that has just ended.</returns>
    private static TimeSpan? TryReadCpu(int process, int session)
    {
        try
        {
            string stat = File.ReadAllText($"/proc/{process}/stat");
            string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
            long ticksOfChildren = Number(fields[UserTimeOfChildrenField]) + Number(fields[SystemTimeOfChildrenField]);
            return Number(fields[SessionField]) == session
                ? CpuClock.Read(process) + TimeSpan.FromSeconds((double)ticksOfChildren / TicksPerSecond)
                : null;
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static long ReadMemory(int process)
    {
        try
        {
            string? line = File.ReadLines($"/proc/{process}/smaps_rollup")
                .FirstOrDefault(static line => line.StartsWith("Pss:", StringComparison.Ordinal));
            return line is null ? 0 : Number(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) * 1024;
        }
        catch (IOException)
        {
            return 0;
        }
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
