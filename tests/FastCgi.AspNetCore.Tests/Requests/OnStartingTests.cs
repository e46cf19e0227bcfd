namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The OnStarting callbacks in front of the start of a response.</summary>
public class OnStartingTests
{
    private readonly FeaturesFixture _fixture = new();
    private readonly List<string> _events = [];

    private ApplicationResponse Response => _fixture.Response;

    [Fact]
    public async Task The_start_follows_the_callbacks()
    {
        var goesOn = new TaskCompletionSource();
        OnStarting(async () =>
        {
            await goesOn.Task;
            _events.Add("callback");
        });

        var starting = StartAsync();
        Assert.False(starting.IsCompleted);
        Assert.Empty(_events);
        Assert.False(Response.HasStarted);
        goesOn.SetResult();
        await starting.Within("the callbacks");

        Assert.Equal(["callback"], _events);
        Assert.True(Response.HasStarted);
        Assert.Null(Response.CallbackFailure);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_failure_is_kept_and_told(bool isAsynchronous)
    {
        var failure = new InvalidOperationException("of the callback");
        OnStarting(() => throw new InvalidOperationException("never run"));
        OnStarting(() => isAsynchronous ? Task.FromException(failure) : throw failure);

        var thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync().Within("the callbacks"));

        Assert.Same(failure, thrown);
        Assert.Same(failure, Response.CallbackFailure);
        Assert.False(Response.HasStarted);
        Assert.Same(failure, Assert.Throws<ObjectDisposedException>(Response.ThrowIfUnwritable).InnerException);
    }

    /// <summary>The head that cannot be written is no failure of a callback.</summary>
    [Fact]
    public async Task A_start_that_fails_is_no_failure_of_a_callback()
    {
        OnStarting(() =>
        {
            _fixture.Features.StatusCode = 204;
            _fixture.Features.ResponseHeaders.ContentLength = 5;
            return Task.CompletedTask;
        });

        await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync().Within("the callbacks"));

        Assert.Null(Response.CallbackFailure);
        Response.ThrowIfUnwritable();
    }

    /// <summary>The application has returned without a write: the callbacks run in front of an empty body.</summary>
    [Fact]
    public async Task The_end_of_the_application_runs_them_too()
    {
        OnStarting(() =>
        {
            _events.Add("callback");
            return Task.CompletedTask;
        });
        await Response.EnsureStartedAsync().AsTask().Within("the callbacks");
        Assert.Equal(["callback"], _events);
        Assert.Equal(0, _fixture.Features.ResponseHeaders.ContentLength);
    }

    private Task StartAsync() => Response.StartAsync(default);

    private void OnStarting(Func<Task> callback) =>
        _fixture.Get<IHttpResponseFeature>().OnStarting(_ => callback(), new object());
}
