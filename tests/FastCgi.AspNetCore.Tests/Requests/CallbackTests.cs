namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>OnStarting and OnCompleted: same order, opposite rules for exceptions.</summary>
public sealed class CallbackTests
{
    private const int ApplicationError = 13;

    private readonly FeaturesFixture _fixture = new();
    private readonly List<string> _ran = [];

    private IHttpResponseFeature Response => _fixture.Get<IHttpResponseFeature>();

    [Fact]
    public async Task Callbacks_run_once_last_in_first_out()
    {
        var names = Enumerable.Range(0, 100).Select(static number => $"{number}").ToArray();
        foreach (var name in names)
        {
            Response.OnStarting(Note, name);
            Response.OnCompleted(Note, $"{name} completed");
        }

        Assert.True(_fixture.Features.HasOnStartingCallbacks);
        await FireAsync();
        Assert.False(_fixture.Features.HasOnStartingCallbacks);
        await FireAsync();

        var last = names.Reverse().ToArray();
        Assert.Equal([.. last, .. last.Select(static name => $"{name} completed")], _ran);
    }

    [Fact]
    public async Task A_callback_waits_for_the_one_before_it()
    {
        var gate = new TaskCompletionSource();
        Response.OnStarting(Note, "second to run");
        Response.OnStarting(
            async _ =>
            {
                await gate.Task;
                _ran.Add("first to run");
            },
            new object());

        var firing = _fixture.Features.FireOnStartingAsync();
        Assert.Empty(_ran);
        gate.SetResult();
        await firing.Within("OnStarting");

        Assert.Equal(["first to run", "second to run"], _ran);
    }

    [Fact]
    public async Task Callbacks_that_callbacks_register_run_too()
    {
        Response.OnStarting(Note, "outer starting");
        Response.OnStarting(Does(() => Response.OnStarting(Note, "inner starting")), new object());
        Response.OnCompleted(Does(() => Response.OnCompleted(Note, "inner completed")), new object());

        await FireAsync();

        Assert.Equal(["inner starting", "outer starting", "inner completed"], _ran);
    }

    [Fact]
    public async Task OnCompleted_callbacks_that_throw_are_reported_one_by_one_and_the_others_run()
    {
        _fixture.Server.Logs.ExpectError(ApplicationError);
        _fixture.Server.Logs.ExpectError(ApplicationError);
        Response.OnCompleted(_ => throw new InvalidOperationException("sync"), new object());
        Response.OnCompleted(Note, "between");
        Response.OnCompleted(
            async _ =>
            {
                await Task.Yield();
                throw new InvalidOperationException("async");
            },
            new object());

        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");

        Assert.Equal(["between"], _ran);
        Assert.Equal(
            ["async", "sync"],
            _fixture.Server.Logs.Entries
                .Where(static entry => entry.EventId.Id == ApplicationError)
                .Select(static entry => entry.Exception!.Message));
    }

    [Fact]
    public async Task OnCompleted_runs_though_OnStarting_never_did_and_can_be_registered_after_the_start()
    {
        Response.OnStarting(Note, "starting");
        Response.OnCompleted(Note, "early");
        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");
        Assert.Equal(["early"], _ran);

        _ran.Clear();
        await _fixture.Response.StartAsync(default).Within("the start");
        _ran.Clear();
        Response.OnCompleted(Note, "late");

        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");

        Assert.Equal(["late"], _ran);
    }

    [Fact]
    public async Task What_is_kept_for_the_connection_ends_with_the_request_after_all_else()
    {
        _fixture.Get<IConnectionCompleteFeature>().OnCompleted(Note, "connection 1");
        Response.OnCompleted(Note, "request");
        _fixture.Get<IConnectionCompleteFeature>().OnCompleted(Note, "connection 2");

        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");

        Assert.Equal(["request", "connection 2", "connection 1"], _ran);
    }

    [Fact]
    public void A_null_callback_is_refused()
    {
        Assert.Throws<ArgumentNullException>(() => Response.OnStarting(null!, new object()));
        Assert.Throws<ArgumentNullException>(() => Response.OnCompleted(null!, new object()));
        Assert.Throws<ArgumentNullException>(
            () => _fixture.Get<IConnectionCompleteFeature>().OnCompleted(null!, new object()));
    }

    private static Func<object, Task> Does(Action action) => _ =>
    {
        action();
        return Task.CompletedTask;
    };

    private async Task FireAsync()
    {
        await _fixture.Features.FireOnStartingAsync().Within("OnStarting");
        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");
    }

    private Task Note(object state)
    {
        _ran.Add((string)state);
        return Task.CompletedTask;
    }
}
