using System.Globalization;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>Memory of the machine and of its processes in MiB, as the kernel counts it.</summary>
internal static class MachineMemory
{
    /// <summary>What the kernel can give to new processes without swap.</summary>
    public static double Available => Read("/proc/meminfo", "MemAvailable:");

    /// <summary>What is in use and belongs to no process: the kernel's own, sockets, and files in memory.</summary>
    public static double OfNoProcess => Read("/proc/meminfo", "MemTotal:") - Available
        - Processes().Sum(static process => Of(process, "Pss_Anon:", "Pss_Shmem:"));

    public static IEnumerable<int> Processes() => Directory.EnumerateDirectories("/proc")
        .Select(static folder => Path.GetFileName(folder))
        .Where(static name => name.All(char.IsAsciiDigit))
        .Select(static name => int.Parse(name, CultureInfo.InvariantCulture));

    /// <summary>
    /// The sum of some lines of a process, each with its part of what it shares. 0 if it has ended, or denies itself to
    /// root as process 1 of some machines does.
    /// </summary>
    public static double Of(int process, params string[] names)
    {
        try
        {
            return Read($"/proc/{process}/smaps_rollup", names);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private static double Read(string file, params string[] names) => File.ReadLines(file)
        .Where(line => names.Any(name => line.StartsWith(name, StringComparison.Ordinal)))
        .Sum(static line => double.Parse(line.Split(' ')[^2], CultureInfo.InvariantCulture) / 1024);
}
