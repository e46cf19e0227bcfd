using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Tests.Hosting;
using FastCgi.TestKit;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.AspNetCore.Tests.Connections;

public class RequestSlotTests
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
        Assert.Equal(isAllowed, RequestSlot.Allows(from, to));

        RequestSlot slot = At(from);
        if (isAllowed)
        {
            slot.Advance(to);
            Assert.Equal(to, slot.Stage);
        }
        else
        {
            Assert.Throws<InvalidOperationException>(() => slot.Advance(to));
            Assert.Equal(from, slot.Stage);
        }
    }

    [Fact]
    public void A_drain_ends_with_its_request()
    {
        RequestSlot slot = At(RequestStage.Running);
        using var drain = new Drain();
        slot.BeginDrain(drain);
        Assert.Equal(RequestStage.Draining, slot.Stage);
        Assert.True(slot.IsDrainedBy(drain));
        slot.Forget();
        Assert.Equal(RequestStage.Ended, slot.Stage);
        Assert.True(drain.IsDisposed);
        Assert.False(slot.IsDrainedBy(drain));
    }

    [Fact]
    public void Nothing_continues_on_a_thread_that_does_not_route() =>
        Assert.False(At(RequestStage.Running).TryContinueAfterRead(static _ => { }, null));

    private static RequestSlot At(RequestStage stage)
    {
        var server = new ServerContext(new FastCgiServerOptions(), NullLoggerFactory.Instance, new ManualTimeProvider());
        var slot = new RequestSlot(server, new ApplicationRunner<HttpContext>(DelegateApplication.Hello));
        foreach (RequestStage next in s_stages.Where(next => next <= stage && next != RequestStage.Params))
        {
            slot.Advance(next);
        }

        return slot;
    }

    private sealed class Drain : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }
}
