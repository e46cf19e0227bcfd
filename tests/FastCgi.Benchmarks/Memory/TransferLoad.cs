namespace FastCgi.Benchmarks.Memory;

/// <summary>Uploads and downloads of 10 MiB, and then nothing for a while.</summary>
internal sealed class TransferLoad(TimeSpan quiet) : MemoryLoad
{
    private const int Uploads = 2_000;
    private const int Downloads = 500;
    private const int Size = 10 * 1024 * 1024;

    private static readonly Workload s_upload = WorkloadCatalog.All.First(static one => one.Name == "upload");

    private static readonly Workload s_download =
        new("large", $"/bytes/{Size}") { Title = "download of 10 MiB", Check = static _ => null };

    public override string Title => $"{Uploads:N0} uploads and {Downloads:N0} downloads of 10 MiB";

    public override IReadOnlyList<string> Columns { get; } =
        ["at the start MiB", "after the uploads", "after the downloads", $"{quiet.TotalSeconds:F0} s later"];

    public override int Connections => 32;

    public override bool Fits(Target target) => target.Protocol != TargetProtocol.Scgi;

    public override async Task<IReadOnlyList<double>> RunAsync(
        IFrontEnd front, RunningTarget target, string directory)
    {
        var load = new ApacheBench(directory);
        List<double> readings = [Read(target)];
        foreach (var (workload, requests) in new[] { (s_upload, Uploads), (s_download, Downloads) })
        {
            var result = await load.RunAsync(
                front.AddressOf(target),
                new LoadOrder(workload, Connections, TimeSpan.Zero) { Requests = requests, KeepsConnections = true });
            if (result.Failed > 0)
            {
                throw new InvalidOperationException($"{target.Target.Name}: {result.Failed} {workload.Title} failed.");
            }

            readings.Add(Read(target));
        }

        await Task.Delay(quiet);
        readings.Add(Read(target));
        return readings;
    }

    private static double Read(RunningTarget target) => target.ReadUsage().MemoryBytes / Mebibyte;
}
