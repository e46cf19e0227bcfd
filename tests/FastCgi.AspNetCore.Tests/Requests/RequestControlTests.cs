namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>An application keeps its features, and calls them while their pooled request serves another connection.</summary>
public sealed class RequestControlTests
{
    private readonly ScriptedConnection _own = new(new TrackingPool()) { Id = "own" };
    private readonly ScriptedConnection _next = new(new TrackingPool()) { Id = "next", HasRecords = false };
    private readonly FastCgiRequest _request = new ScriptedServer().NewRequest();
    private readonly RequestControl _control;

    public RequestControlTests()
    {
        var keeps = new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.KeepConnection);
        _request.Begin(_own, requestId: 1, keeps, RequestAdmission.Application);
        _control = new RequestControl(_request);
        var response = new ApplicationResponse(_request, features: null!, new AbortSignal(NullLogger.Instance));
        _control.Begin(features: null!, response);
        response.Fail();

        _request.Release();
        _request.Begin(_next, requestId: 2, default, RequestAdmission.Application);
    }

    [Fact]
    public void A_late_call_ends_no_connection_but_its_own()
    {
        _control.AbortConnection();
        _control.RequestConnectionClose();

        Assert.Equal(["the application closed the connection", "close"], _own.Asked);
        Assert.Empty(_next.Asked);
    }

    [Fact]
    public void A_late_look_sees_its_own_request_and_connection() => Assert.Equal(
        ("own", FastCgiEndpointProtocol.FastCgi, 1, true),
        (_control.ConnectionId, _control.Protocol, _control.RequestId, _control.KeepConnection));

    [Fact]
    public async Task A_late_first_look_at_the_body_ends_no_read_of_another_request()
    {
        object next = new();
        _request.Body.Own(next);
        _request.Body.Open();
        var reading = new RequestBodyReader(_request.Body, next).ReadAsync();

        await Assert.ThrowsAnyAsync<InvalidOperationException>(async () => await _control.RequestReader.ReadAsync());

        Assert.False(reading.IsCompleted);
        _request.Body.End();
        Assert.True((await reading).IsCompleted);
    }
}
