namespace FastCgi.AspNetCore.Tests.Requests;

public class FastCgiRequestTests
{
    private static readonly RequestStage[] s_stages = Enum.GetValues<RequestStage>();

    private readonly ScriptedServer _server = new();

    public static MatrixTheoryData<string, string> Pairs =>
        new(Enum.GetNames<RequestStage>(), Enum.GetNames<RequestStage>());

    /// <summary>docs/architecture.md has the table.</summary>
    [Theory, MemberData(nameof(Pairs))]
    public void A_stage_is_followed_only_by_these(string start, string end)
    {
        var (from, to) = (Enum.Parse<RequestStage>(start), Enum.Parse<RequestStage>(end));
        FastCgiRequest request = At(from);
        if (FastCgiRequest.Allows(from, to))
        {
            request.Advance(to);
            Assert.Equal(to, request.Stage);
        }
        else
        {
            Assert.Throws<InvalidOperationException>(() => request.Advance(to));
            Assert.Equal(from, request.Stage);
        }
    }

    [Fact]
    public void A_drain_ends_with_its_request()
    {
        FastCgiRequest request = At(RequestStage.Running);
        using var drain = new CancellationTokenSource();
        request.BeginDrain(drain);
        Assert.Equal(RequestStage.Draining, request.Stage);
        Assert.True(request.IsDrainedBy(drain));
        request.Forget();
        Assert.Equal(RequestStage.Ended, request.Stage);
        Assert.Throws<ObjectDisposedException>(drain.Cancel);
        Assert.False(request.IsDrainedBy(drain));
    }

    /// <summary>The server fails on a request, and may find out of that twice.</summary>
    [Theory, InlineData(1), InlineData(2)]
    public void A_request_that_the_server_fails_on_leaves_its_place_once(int failures)
    {
        _server.Options.Limits.MaxConcurrentRequests = 1;
        Assert.Equal(RequestAdmission.CountedApplication, _server.Context.OpenRequest());
        var request = Begin(RequestAdmission.CountedApplication);

        for (var i = 0; i < failures; i++)
        {
            request.OnServerError(new InvalidOperationException("a listener of the host failed"));
        }

        Assert.Equal(RequestAdmission.CountedApplication, _server.Context.OpenRequest());
        Assert.Equal(RequestAdmission.Refused, _server.Context.OpenRequest());
    }

    /// <summary>So that a log says of a request that its handler blocks a thread, or does no more.</summary>
    [Fact]
    public void A_handler_that_kept_a_thread_behind_a_read_has_given_it_back_at_its_next_wait()
    {
        var request = Begin(RequestAdmission.Application);
        bool keeps = false;

        request.ContinueInline(new DelegateWork(() =>
        {
            ((IInlineRun)request).OnStillRunning();
            keeps = request.KeepsThread;
        }));

        Assert.True(keeps);
        Assert.False(request.KeepsThread);
    }

    private FastCgiRequest Begin(RequestAdmission admission)
    {
        var request = _server.NewRequest();
        request.Begin(new ScriptedConnection(new TrackingPool()), 1, default, admission);
        return request;
    }

    private FastCgiRequest At(RequestStage stage)
    {
        var request = _server.NewRequest();
        foreach (RequestStage next in s_stages.Where(next => next <= stage && next != RequestStage.Params))
        {
            request.Advance(next);
        }

        return request;
    }
}
