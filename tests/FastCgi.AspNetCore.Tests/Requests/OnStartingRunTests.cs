namespace FastCgi.AspNetCore.Tests.Requests;

public class OnStartingRunTests
{
    private readonly FeaturesFixture _fixture = new();
    private readonly List<string> _events = [];
    private readonly OnStartingRun _run = new();

    [Fact]
    public async Task Success_follows_the_callbacks()
    {
        Assert.True(_run.Task.IsCompletedSuccessfully);
        Assert.Null(_run.Failure);
        var goesOn = new TaskCompletionSource();
        OnStarting(async () =>
        {
            await goesOn.Task;
            _events.Add("callback");
        });

        var running = RunAsync();
        Assert.Same(running, _run.Task);
        Assert.False(running.IsCompleted);
        Assert.Empty(_events);
        goesOn.SetResult();
        await running.Within("the callbacks");

        Assert.Equal(["callback", "success"], _events);
        Assert.Null(_run.Failure);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_failure_is_kept_and_told(bool isAsynchronous)
    {
        var failure = new InvalidOperationException("of the callback");
        OnStarting(() => throw new InvalidOperationException("never run"));
        OnStarting(() => isAsynchronous ? Task.FromException(failure) : throw failure);

        var thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => RunAsync().Within("the callbacks"));

        Assert.Same(failure, thrown);
        Assert.Same(failure, _run.Failure);
        Assert.Equal(["failure of the callback"], _events);
        Assert.True(_run.Task.IsFaulted);
    }

    /// <summary>The head that cannot be written is no failure of a callback.</summary>
    [Fact]
    public async Task A_start_that_fails_is_no_failure_of_a_callback()
    {
        var running = _run.RunAsync(
            _fixture.Features,
            static () => throw new InvalidOperationException("of the head"),
            exception => _events.Add(exception.Message));

        await Assert.ThrowsAsync<InvalidOperationException>(() => running.Within("the callbacks"));

        Assert.Null(_run.Failure);
        Assert.Empty(_events);
    }

    [Fact]
    public async Task Nothing_has_to_follow()
    {
        OnStarting(() =>
        {
            _events.Add("callback");
            return Task.CompletedTask;
        });
        await _run.RunAsync(_fixture.Features, onSuccess: null, static _ => { }).Within("the callbacks");
        Assert.Equal(["callback"], _events);
    }

    private Task RunAsync() => _run.RunAsync(
        _fixture.Features,
        () => _events.Add("success"),
        exception => _events.Add($"failure {exception.Message}"));

    private void OnStarting(Func<Task> callback) =>
        _fixture.Get<IHttpResponseFeature>().OnStarting(_ => callback(), new object());
}
