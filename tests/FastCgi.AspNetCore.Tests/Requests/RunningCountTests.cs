namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>What MaxConcurrentRequests counts.</summary>
public sealed class RunningCountTests
{
    /// <summary>The server fails on a request, and may find out of that twice.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_request_that_the_server_fails_on_leaves_its_place_once(int failures)
    {
        var options = new FastCgiServerOptions();
        options.Limits.MaxConcurrentRequests = 1;
        var server = new ServerContext(options, NullLoggerFactory.Instance, new ManualTimeProvider());
        Assert.Equal(RequestAdmission.CountedApplication, server.OpenRequest());
        var request = new FastCgiRequest(
            server, new ApplicationRunner<HttpContext>(DelegateApplication.Hello));
        request.Begin(new ScriptedConnection(new TrackingPool()), 1, default, RequestAdmission.CountedApplication);

        for (var i = 0; i < failures; i++)
        {
            request.OnServerError(new InvalidOperationException("a listener of the host failed"));
        }

        Assert.Equal(RequestAdmission.CountedApplication, server.OpenRequest());
        Assert.Equal(RequestAdmission.Refused, server.OpenRequest());
    }
}
