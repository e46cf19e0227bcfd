using System.Globalization;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// A systemd and all it has started: how many sites, the memory of all (PSS) and the machine's, in MiB. A user's manager
/// also starts services of the machine at first, some of which end at once, so other processes are not counted.
/// </summary>
internal sealed record MemoryFigures(int Sites, double Used, double Available, double OfNoProcess)
{
    public static MemoryFigures Of(UserSystemd manager)
    {
        var (count, memory) = ProcessTree.Measure(
            manager.ProcessId, Repository.BuiltTestProgram("FastCgi.InstanceApp"));
        return new MemoryFigures(count, memory, MachineMemory.Available, MachineMemory.OfNoProcess);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Sites} sites, {Used:0.0} MiB (PSS), {Available:0} MiB available, {OfNoProcess:0} MiB of no process");
}
