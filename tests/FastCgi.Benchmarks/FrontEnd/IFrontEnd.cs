namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>What stands between the load generator and the targets.</summary>
internal interface IFrontEnd : IAsyncDisposable
{
    /// <summary>Where it serves the target.</summary>
    Uri AddressOf(RunningTarget target);

    /// <summary>What it has used since it started.</summary>
    SessionUsage ReadUsage();
}
