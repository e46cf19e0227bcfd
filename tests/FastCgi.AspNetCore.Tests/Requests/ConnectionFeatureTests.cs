using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Who is at the other end, the request's life, and what must not pass from client to client.</summary>
public sealed class ConnectionFeatureTests
{
    private const int RemoteAddressUnreadable = 319;

    private readonly FeaturesFixture _fixture = new();

    private IHttpConnectionFeature Connection => _fixture.Get<IHttpConnectionFeature>();

    [Fact]
    public void The_addresses_are_the_browser_s_and_the_id_is_the_socket_s()
    {
        Assert.Equal((IPAddress.Parse("192.0.2.7"), 51234), (Connection.RemoteIpAddress, Connection.RemotePort));
        Assert.Equal((IPAddress.Parse("198.51.100.1"), 8080), (Connection.LocalIpAddress, Connection.LocalPort));
        Assert.Equal(_fixture.Connection.Id, Connection.ConnectionId);
    }

    [Theory]
    [InlineData("nonsense", true)]
    [InlineData("192.0.2.7", false)]
    [InlineData("unix:", false)]
    public void An_address_that_cannot_be_read_is_told(string address, bool isTold)
    {
        _fixture.BeginNext(("REMOTE_ADDR", address));

        Assert.Equal(address == "192.0.2.7", Connection.RemoteIpAddress is not null);
        Assert.Equal(
            isTold, _fixture.Server.Logs.Entries.Any(static entry => entry.EventId.Id == RemoteAddressUnreadable));
    }

    [Fact]
    public void Connection_items_set_by_middleware_do_not_reach_the_next_request()
    {
        var items = new Dictionary<object, object?> { ["user"] = "first client" };
        _fixture.Get<IConnectionItemsFeature>().Items = items;
        Assert.Same(items, _fixture.Get<IConnectionItemsFeature>().Items);

        _fixture.BeginNext();

        Assert.Empty(_fixture.Get<IConnectionItemsFeature>().Items);
        Assert.Single(items);
    }

    [Fact]
    public void The_socket_s_ends_and_tokens_are_shown()
    {
        var ends = _fixture.Get<IConnectionEndPointFeature>();
        Assert.Same(_fixture.Connection.LocalEndPoint, ends.LocalEndPoint);
        Assert.Same(_fixture.Connection.RemoteEndPoint, ends.RemoteEndPoint);
        Assert.Equal(_fixture.Connection.Closed, _fixture.Get<IConnectionLifetimeFeature>().ConnectionClosed);
        Assert.Equal(
            _fixture.Connection.CloseRequested,
            _fixture.Get<IConnectionLifetimeNotificationFeature>().ConnectionClosedRequested);
        var lifetime = _fixture.Get<IHttpRequestLifetimeFeature>();
        Assert.Equal(_fixture.Response.RequestAborted, lifetime.RequestAborted);
        lifetime.RequestAborted = CancellationToken.None;
        Assert.Equal(CancellationToken.None, lifetime.RequestAborted);
    }

    [Fact]
    public void Endpoint_and_route_values_belong_to_the_request_and_route_values_accept_null()
    {
        var context = new DefaultHttpContext(_fixture.Collection);
        var endpoint = new Endpoint(null, null, "test");
        context.SetEndpoint(endpoint);
        context.Request.RouteValues = new RouteValueDictionary { ["id"] = 5 };
        Assert.Same(endpoint, context.GetEndpoint());
        Assert.Equal(5, context.Request.RouteValues["id"]);

        context.Request.RouteValues = null!;
        Assert.Empty(context.Request.RouteValues);
        context.Request.RouteValues["id"] = 6;

        _fixture.BeginNext();
        context = new DefaultHttpContext(_fixture.Collection);
        Assert.Null(context.GetEndpoint());
        Assert.Empty(context.Request.RouteValues);
    }
}
