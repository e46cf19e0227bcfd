using System.Globalization;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>A systemd and all it has started: processes, their memory (PSS) and the machine's, in MiB.</summary>
internal sealed record MemoryFigures(int Processes, double Used, double Available, double OfNoProcess)
{
    public static MemoryFigures Of(UserSystemd manager)
    {
        var (count, memory) = ProcessTree.Measure(manager.ProcessId);
        return new MemoryFigures(count, memory, MachineMemory.Available, MachineMemory.OfNoProcess);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Processes} processes, {Used:0.0} MiB (PSS), {Available:0} MiB available, {OfNoProcess:0} MiB of no process");
}
