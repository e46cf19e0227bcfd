namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>
/// The features belong to one request and are not reused, so that none reaches the next one. What that costs is known.
/// </summary>
public sealed class FeatureAllocationTests
{
    private readonly FeaturesFixture _fixture = new();

    /// <summary>Features, response, params and abort signal of a request that does not touch its headers.</summary>
    [Fact]
    public void A_request_costs_few_objects() => Assert.InRange(BytesPerCycle(static _ => { }), 1, 680);

    /// <summary>What an ordinary handler touches: the method, a request header, the status and a response header.</summary>
    [Fact]
    public void Headers_cost_an_object_each() => Assert.InRange(BytesPerCycle(static features =>
    {
        var request = features.Get<IHttpRequestFeature>()!;
        _ = request.Method;
        _ = request.Headers;
        var response = features.Get<IHttpResponseFeature>()!;
        response.StatusCode = 404;
        response.Headers.ContentType = "text/plain";
        _ = features.Get<IHttpResponseBodyFeature>()!.Writer;
        _ = features.Get<ITlsConnectionFeature>();
        _ = features.Get<Uri>();
        features.Set<IItemsFeature>(s_items);
    }), 1, 680 + 64 + 144);

    private static readonly ItemsFeature s_items = new();

    private double BytesPerCycle(Action<IFeatureCollection> use)
    {
        const int Cycles = 1000;
        Cycle(100, use);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Cycle(Cycles, use);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Cycles;
    }

    private void Cycle(int times, Action<IFeatureCollection> use)
    {
        for (var time = 0; time < times; time++)
        {
            _fixture.BeginLoaded();
            use(_fixture.Collection);
            _fixture.Features.FreezeResponse();
            Assert.True(_fixture.Features.FireOnStartingAsync().IsCompletedSuccessfully);
            Assert.True(_fixture.Features.FireOnCompletedAsync().IsCompletedSuccessfully);
            _fixture.Features.End();
        }
    }
}
