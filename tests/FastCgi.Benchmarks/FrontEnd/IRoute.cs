namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>How requests come to the targets: through a web server, or straight from a load generator.</summary>
internal interface IRoute : IAsyncDisposable
{
    /// <summary>The CPU time that what stands before the targets has used since it started.</summary>
    TimeSpan ReadFrontCpu();

    /// <summary>Asks once.</summary>
    Task<Answer> AskAsync(RunningTarget target, Workload workload);

    /// <summary>Asks as often as it can.</summary>
    Task<LoadResult> LoadAsync(RunningTarget target, LoadOrder order);
}
