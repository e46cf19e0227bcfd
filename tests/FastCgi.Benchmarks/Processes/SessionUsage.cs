using System.Globalization;

namespace FastCgi.Benchmarks.Processes;

/// <summary>What the processes of a session have used: CPU time of user and system, and memory.</summary>
/// <param name="Cpu">Of all that live, and of their children that ended.</param>
/// <param name="MemoryBytes">Proportional set size: a page that several processes share is counted once.</param>
internal readonly record struct SessionUsage(TimeSpan Cpu, long MemoryBytes)
{
    /// <summary>USER_HZ, which is 100 on every Linux that .NET runs on.</summary>
    private const int TicksPerSecond = 100;

    // Behind the name in parentheses, as proc(5) numbers them less three.
    private const int SessionField = 3;
    private const int FirstTimeField = 11;
    private const int TimeFields = 4;

    public static SessionUsage Read(int session)
    {
        long ticks = 0;
        long memory = 0;
        foreach (string directory in Directory.EnumerateDirectories("/proc"))
        {
            if (char.IsAsciiDigit(directory["/proc/".Length]) && TryReadTicks(directory, session) is { } ticksOfOne)
            {
                ticks += ticksOfOne;
                memory += ReadMemory(directory);
            }
        }

        return new SessionUsage(TimeSpan.FromSeconds((double)ticks / TicksPerSecond), memory);
    }

    /// <returns>Null for a process of another session, and for one that has just ended.</returns>
    private static long? TryReadTicks(string directory, int session)
    {
        try
        {
            string stat = File.ReadAllText(Path.Combine(directory, "stat"));
            string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
            return Number(fields[SessionField]) == session
                ? fields.AsSpan(FirstTimeField, TimeFields).ToArray().Sum(Number)
                : null;
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static long ReadMemory(string directory)
    {
        try
        {
            string line = File.ReadLines(Path.Combine(directory, "smaps_rollup"))
                .First(static line => line.StartsWith("Pss:", StringComparison.Ordinal));
            return Number(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) * 1024;
        }
        catch (IOException)
        {
            return 0;
        }
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
