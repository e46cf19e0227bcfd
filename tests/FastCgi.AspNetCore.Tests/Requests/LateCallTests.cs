namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>
/// A call of an application that is late: its features are not told yet that their request is over, and the pooled
/// request serves another connection.
/// </summary>
public sealed class LateCallTests
{
    private readonly ScriptedConnection _own = new(new TrackingPool()) { Id = "own" };
    private readonly ScriptedConnection _next = new(new TrackingPool()) { Id = "next", HasRecords = false };
    private readonly FastCgiRequest _request = new ScriptedServer().NewRequest();
    private readonly RequestFeatures _features;

    public LateCallTests()
    {
        var keeps = new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.KeepConnection);
        _request.Begin(_own, requestId: 1, keeps, RequestAdmission.Application);
        _features = new RequestFeatures(_request, new AbortSignal(NullLogger.Instance));
        _features.Response.Fail();
        _own.Asked.Clear();

        _request.Release();
        _request.Begin(_next, requestId: 2, default, RequestAdmission.Application);
    }

    [Fact]
    public void A_late_call_ends_no_connection_but_its_own()
    {
        ((IConnectionLifetimeFeature)_features).Abort();
        ((IConnectionLifetimeNotificationFeature)_features).RequestClose();

        Assert.Equal(["the application closed the connection", "close"], _own.Asked);
        Assert.Empty(_next.Asked);
    }

    [Fact]
    public void A_late_look_sees_its_own_request_and_connection()
    {
        IFastCgiRequestFeature request = _features;
        Assert.Equal(
            ("own", FastCgiEndpointProtocol.FastCgi, 1, true),
            (request.ConnectionId, request.Protocol, request.RequestId, request.KeepConnection));
    }

    [Fact]
    public async Task A_late_first_look_at_the_body_ends_no_read_of_another_request()
    {
        object next = new();
        _request.Body.Own(next);
        _request.Body.Open();
        var reading = new RequestBodyReader(_request.Body, next).ReadAsync();

        var late = ((IRequestBodyPipeFeature)_features).Reader;
        await Assert.ThrowsAnyAsync<InvalidOperationException>(async () => await late.ReadAsync());

        Assert.False(reading.IsCompleted);
        _request.Body.End();
        Assert.True((await reading).IsCompleted);
    }
}
