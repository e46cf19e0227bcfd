using System.Globalization;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>A process and all that it has started: their memory, and how many of them run a program.</summary>
internal static class ProcessTree
{
    private const int ParentField = 1;

    /// <summary>
    /// How many processes have a program's path among their arguments, and the memory of all (PSS) in MiB.
    /// </summary>
    public static (int Count, double Memory) Measure(int root, string program)
    {
        var parents = new Dictionary<int, int>();
        foreach (var process in MachineMemory.Processes())
        {
            if (ReadParent(process) is { } parent)
            {
                parents[process] = parent;
            }
        }

        int[] members = [.. parents.Keys.Where(process => IsBelow(process, root, parents))];
        return (members.Count(process => Runs(process, program)), members.Sum(static process => MachineMemory.Of(process, "Pss:")));
    }

    private static bool IsBelow(int process, int root, Dictionary<int, int> parents)
    {
        while (process != root)
        {
            if (!parents.TryGetValue(process, out process))
            {
                return false;
            }
        }

        return true;
    }

    private static bool Runs(int process, string program) =>
        Read(process, "cmdline") is { } arguments && arguments.Split('\0').Contains(program, StringComparer.Ordinal);

    private static int? ReadParent(int process) => Read(process, "stat") is { } stat
        ? int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[ParentField], CultureInfo.InvariantCulture)
        : null;

    /// <summary>Null if the process has ended meanwhile.</summary>
    private static string? Read(int process, string file)
    {
        try
        {
            return File.ReadAllText($"/proc/{process}/{file}");
        }
        catch (IOException)
        {
            return null;
        }
    }
}
