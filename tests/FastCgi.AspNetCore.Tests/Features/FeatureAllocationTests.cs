using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>The features of an ordinary request cost no memory.</summary>
public sealed class FeatureAllocationTests
{
    private readonly FeaturesFixture _fixture = new();
    private readonly ItemsFeature _items = new();
    private readonly object _state = new();

    [Fact]
    public void A_request_allocates_nothing_of_the_features()
    {
        Cycle(100);

        var before = GC.GetAllocatedBytesForCurrentThread();
        Cycle(1000);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        Assert.Equal(0, allocated);
    }

    private void Cycle(int times)
    {
        var features = _fixture.Collection;
        for (var time = 0; time < times; time++)
        {
            _fixture.BeginLoaded();
            var request = features.Get<IHttpRequestFeature>()!;
            _ = request.Method;
            _ = request.Headers;
            request.Path = "/rewritten";
            features.Get<IHttpResponseFeature>()!.StatusCode = 404;
            features.Get<IHttpResponseFeature>()!.OnStarting(_ => Task.CompletedTask, _state);
            features.Get<IHttpResponseFeature>()!.OnCompleted(_ => Task.CompletedTask, _state);
            _ = features.Get<IHttpResponseBodyFeature>()!.Writer;
            _ = features.Get<ITlsConnectionFeature>();
            _ = features.Get<IConnectionItemsFeature>();
            _ = features.Get<Uri>();
            features.Set<IItemsFeature>(_items);
            features.Set<IHttpResponseBodyFeature>(_fixture.Features);
            features.Set("unknown");
            _fixture.Features.FreezeResponse();
            Assert.True(_fixture.Features.FireOnStartingAsync().IsCompletedSuccessfully);
            Assert.True(_fixture.Features.FireOnCompletedAsync().IsCompletedSuccessfully);
            _fixture.Features.Reset();
        }
    }
}
