using System.Globalization;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>A process and all that it has started: how many they are, and their memory.</summary>
internal static class ProcessTree
{
    private const int ParentField = 1;

    /// <summary>How many processes there are, and the sum of their memory (PSS) in MiB.</summary>
    public static (int Count, double Memory) Measure(int root)
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
        return (members.Length, members.Sum(static process => MachineMemory.Of(process, "Pss:")));
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

    /// <summary>Null if the process has ended meanwhile.</summary>
    private static int? ReadParent(int process)
    {
        try
        {
            var stat = File.ReadAllText($"/proc/{process}/stat");
            return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[ParentField], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            return null;
        }
    }
}
