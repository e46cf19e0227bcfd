namespace FastCgi.Benchmarks.Loads;

/// <summary>A load generator that speaks HTTP.</summary>
internal interface IHttpLoad
{
    /// <summary>With its version, for the head of the table.</summary>
    Task<string> DescribeAsync();

    Task<LoadResult> RunAsync(Uri address, LoadOrder order);
}
