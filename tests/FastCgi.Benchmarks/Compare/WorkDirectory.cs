namespace FastCgi.Benchmarks.Compare;

/// <summary>A directory that goes with the run, also when that is interrupted.</summary>
internal sealed class WorkDirectory : IDisposable
{
    public WorkDirectory() => AppDomain.CurrentDomain.ProcessExit += Delete;

    public string Path { get; } = Directory.CreateTempSubdirectory("fcgi-bench-").FullName;

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= Delete;
        Delete(this, EventArgs.Empty);
    }

    private void Delete(object? sender, EventArgs e)
    {
        try
        {
            Directory.Delete(Path, recursive: true);
        }
        catch (IOException)
        {
            // Somebody still writes there, at an interrupted run. An exception here would leave others running.
        }
    }
}
