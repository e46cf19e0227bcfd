using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Tests.Requests.Body;
using FastCgi.AspNetCore.Tests.Requests.Response;
using FastCgi.TestKit;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>An application keeps its features, and calls them while their slot serves another connection.</summary>
public sealed class RequestControlTests
{
    private readonly ScriptedSlot _slot = new(new TrackingPool()) { Id = "own", RequestId = 1 };
    private readonly ScriptedSlot _next = new(new TrackingPool()) { Id = "next", HasRecords = false };
    private readonly RequestControl _control;

    public RequestControlTests()
    {
        var server = new ServerContext(
            new FastCgiServerOptions(), NullLoggerFactory.Instance, new ManualTimeProvider());
        _control = new RequestControl(new PooledParts(
            server,
            _slot,
            new RequestHead(server),
            new ScriptedRequest().Body,
            new ResponseRecords(new TrackingPool())));

        _slot.Connection = _next;
        _slot.RequestId = 2;
        _slot.KeepConnection = false;
    }

    [Fact]
    public void A_late_call_ends_no_connection_but_its_own()
    {
        _control.AbortConnection();
        _control.RequestConnectionClose();

        Assert.Equal(["the application closed the connection", "close"], _slot.Asked);
        Assert.Empty(_next.Asked);
    }

    [Fact]
    public void A_late_look_sees_its_own_request_and_connection() => Assert.Equal(
        ("own", FastCgiEndpointProtocol.FastCgi, 1, true),
        (_control.ConnectionId, _control.Protocol, _control.RequestId, _control.KeepConnection));
}
