namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Whether a log says of a request that its handler blocks a thread.</summary>
public sealed class KeptThreadTests
{
    [Fact]
    public void A_handler_that_kept_a_thread_behind_a_read_has_given_it_back_at_its_next_wait()
    {
        var server = new ServerContext(
            new FastCgiServerOptions(), NullLoggerFactory.Instance, new ManualTimeProvider());
        var request = new FastCgiRequest(
            server, new ApplicationRunner<HttpContext>(DelegateApplication.Hello));
        request.Begin(new ScriptedConnection(new TrackingPool()), 1, default, RequestAdmission.Application);
        bool keeps = false;

        request.ContinueInline(new DelegateWork(() =>
        {
            ((IInlineRun)request).OnStillRunning();
            keeps = request.KeepsThread;
        }));

        Assert.True(keeps);
        Assert.False(request.KeepsThread);
    }
}
