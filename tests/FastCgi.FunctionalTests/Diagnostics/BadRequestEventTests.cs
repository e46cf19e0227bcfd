using System.Diagnostics;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>Monitoring hears of bad requests through hosting's diagnostics.</summary>
public sealed class BadRequestEventTests : FunctionalTest
{
    [Fact]
    public async Task A_body_over_the_limit_is_told_with_its_exception()
    {
        var heard = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var listener = new DiagnosticListener("test");
        using var subscription = listener.Subscribe(
            new Observer(told => heard.TrySetResult(told.Get<IBadRequestExceptionFeature>()?.Error)),
            name => name == "FastCgi.AspNetCore.BadRequest");
        await StartAsync(
            context => context.Request.Body.CopyToAsync(Stream.Null),
            options => options.Limits.MaxRequestBodySize = 3,
            configure: builder => builder.Services.AddSingleton(listener));
        var peer = await ConnectAsync();

        var response = await peer.RoundTripAsync(Post("too long"));

        Assert.Equal(413, response.StatusCode);
        var error = Assert.IsType<BadHttpRequestException>(await heard.Task.Within("the event"));
        Assert.Equal(413, error.StatusCode);
    }

    private sealed class Observer(Action<IFeatureCollection> told) : IObserver<KeyValuePair<string, object?>>
    {
        public void OnNext(KeyValuePair<string, object?> value)
        {
            if (value.Value is IFeatureCollection features)
            {
                told(features);
            }
        }

        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }
    }
}
