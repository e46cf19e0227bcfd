using System.Runtime.InteropServices;

namespace FastCgi.Benchmarks.Compare;

/// <summary>Where the figures were taken.</summary>
internal static class Machine
{
    public static string Describe()
    {
        string load = File.ReadAllText("/proc/loadavg").Split(' ')[0];
        return $"{DescribeHardware()}, {RuntimeInformation.OSDescription}, "
            + $"scheduling by session {(IsScheduledBySession() ? "on" : "off")}, load {load} before the start";
    }

    /// <summary>What does not change from one run to the next.</summary>
    public static string DescribeHardware()
    {
        string model = File.ReadLines("/proc/cpuinfo")
            .FirstOrDefault(static line => line.StartsWith("model name", StringComparison.Ordinal))
            ?.Split(':')[1].Trim() ?? RuntimeInformation.ProcessArchitecture.ToString();
        double gibibytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / (double)(1 << 30);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Environment.ProcessorCount} cores, {model}, {gibibytes:F0} GiB");
    }

    /// <summary>Whether the kernel shares the processors out among sessions first.</summary>
    private static bool IsScheduledBySession()
    {
        const string Switch = "/proc/sys/kernel/sched_autogroup_enabled";
        return File.Exists(Switch) && File.ReadAllText(Switch).Trim() == "1";
    }
}
