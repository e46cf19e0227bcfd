using System.Diagnostics;
using Microsoft.AspNetCore.Builder;

namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>Monitoring hears of bad requests through hosting's diagnostics.</summary>
public sealed class BadRequestEventTests : FunctionalTest
{
    private readonly DiagnosticListener _listener = new("test");

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _listener.Dispose();
    }

    [Fact]
    public async Task A_body_over_the_limit_is_told_with_its_exception()
    {
        var heard = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var subscription = Subscribe(error => heard.TrySetResult(error));
        var peer = await StartAndConnectAsync(
            context => context.Request.Body.CopyToAsync(Stream.Null),
            options => options.Limits.MaxRequestBodySize = 3,
            configure: AddListener);

        var response = await peer.RoundTripAsync(Post("too long"));

        Assert.Equal(413, response.StatusCode);
        var error = Assert.IsType<BadHttpRequestException>(await heard.Task.Within("the event"));
        Assert.Equal(413, error.StatusCode);
    }

    /// <summary>The application never sees them, so nothing else tells a monitor of them.</summary>
    [Fact]
    public async Task A_refused_head_is_told_with_its_status_before_its_answer()
    {
        var heard = new List<Exception?>();
        using var subscription = Subscribe(heard.Add);
        var peer = await StartAndConnectAsync(
            Write("served"), options => options.Limits.MaxRequestHeaderCount = 3, configure: AddListener);
        (RequestScript Request, int Status)[] refused =
        [
            (Get("/a%00b"), 400),
            (Get() with { Headers = [("Host", "a b")] }, 400),
            (Get() with { ExtraParams = [("CONTENT_LENGTH", "none")] }, 400),
            (Get("/" + new string('x', 9000)), 414),
            (Get() with { Headers = [.. Enumerable.Range(0, 4).Select(i => ($"X-{i}", "x"))] }, 431),
        ];

        foreach (var (request, status) in refused)
        {
            heard.Clear();
            Assert.Equal(status, (await peer.RoundTripAsync(request)).StatusCode);
            Assert.Equal(status, Assert.IsType<BadHttpRequestException>(Assert.Single(heard)).StatusCode);
        }

        // The web server is at fault here, and nothing is here.
        heard.Clear();
        Assert.Equal(
            500, (await peer.RoundTripAsync(Get() with { ExtraParams = [("REQUEST_METHOD", "")] })).StatusCode);
        await AssertServesAsync(peer);
        Assert.Empty(heard);
    }

    [Fact]
    public async Task Params_that_do_not_end_in_time_are_told()
    {
        var heard = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var subscription = Subscribe(error => heard.TrySetResult(error));
        var peer = await StartAndConnectAsync(Write("served"), clock: Clock, configure: AddListener);

        await peer.SendAsync(new RecordBuilder().Begin());
        await peer.SynchronizeAsync();
        Clock.Advance(TimeSpan.FromSeconds(32));

        var error = Assert.IsType<BadHttpRequestException>(await heard.Task.Within("the event"));
        Assert.Equal(408, error.StatusCode);
        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
    }

    [Fact]
    public async Task A_refused_head_is_logged_at_debug_only()
    {
        var peer = await StartAndConnectAsync(Write("served"));

        Assert.Equal(400, (await peer.RoundTripAsync(Get("/a%00b"))).StatusCode);

        Assert.Equal(LogLevel.Debug, (await Logs.WaitForAsync(RequestRejected)).Level);
        Assert.DoesNotContain(
            Logs.Entries,
            static entry => entry.Category.StartsWith("FastCgi.", StringComparison.Ordinal) && entry.Level > LogLevel.Debug);
    }

    [Fact]
    public async Task A_listener_that_throws_changes_no_answer()
    {
        using var subscription = Subscribe(static _ => throw new InvalidOperationException("a listener"));
        var peer = await StartAndConnectAsync(Write("served"), configure: AddListener);

        Assert.Equal(400, (await peer.RoundTripAsync(Get("/a%00b"))).StatusCode);
        await AssertServesAsync(peer);
    }

    private void AddListener(WebApplicationBuilder builder) => builder.Services.AddSingleton(_listener);

    private IDisposable Subscribe(Action<Exception?> heard) => _listener.Subscribe(
        new Observer(told => heard(told.Get<IBadRequestExceptionFeature>()?.Error)),
        static name => name == "FastCgi.AspNetCore.BadRequest");

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
