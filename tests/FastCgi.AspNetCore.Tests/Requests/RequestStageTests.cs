namespace FastCgi.AspNetCore.Tests.Requests;

public class RequestStageTests
{
    private static readonly RequestStage[] s_stages = Enum.GetValues<RequestStage>();

    public static TheoryData<string, string> Pairs =>
        new(from start in s_stages from end in s_stages select (start.ToString(), end.ToString()));

    [Theory]
    [MemberData(nameof(Pairs))]
    public void A_stage_is_followed_only_by_these(string start, string end)
    {
        var (from, to) = (Enum.Parse<RequestStage>(start), Enum.Parse<RequestStage>(end));
        bool isAllowed = (from, to) switch
        {
            (RequestStage.Params, RequestStage.AwaitingBody or RequestStage.Running or RequestStage.Ended) => true,
            (RequestStage.AwaitingBody, RequestStage.Running or RequestStage.Ended) => true,
            (RequestStage.Running, RequestStage.Draining or RequestStage.Ended) => true,
            (RequestStage.Draining, RequestStage.Ended) => true,
            _ => false,
        };
        Assert.Equal(isAllowed, FastCgiRequest.Allows(from, to));

        FastCgiRequest request = At(from);
        if (isAllowed)
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
        using var drain = new Drain();
        request.BeginDrain(drain);
        Assert.Equal(RequestStage.Draining, request.Stage);
        Assert.True(request.IsDrainedBy(drain));
        request.Forget();
        Assert.Equal(RequestStage.Ended, request.Stage);
        Assert.True(drain.IsDisposed);
        Assert.False(request.IsDrainedBy(drain));
    }

    private static FastCgiRequest At(RequestStage stage)
    {
        var server = new ServerContext(new FastCgiServerOptions(), NullLoggerFactory.Instance, new ManualTimeProvider());
        var request = new FastCgiRequest(server, new ApplicationRunner<HttpContext>(DelegateApplication.Hello));
        foreach (RequestStage next in s_stages.Where(next => next <= stage && next != RequestStage.Params))
        {
            request.Advance(next);
        }

        return request;
    }

    private sealed class Drain : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }
}
