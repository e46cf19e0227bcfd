namespace FastCgi.Protocol.Tests;

public class FastCgiEndpointTests
{
    [Theory]
    [InlineData("scgi://127.0.0.1:9000", FastCgiEndpointProtocol.Scgi)]
    [InlineData(" SCGI://unix:/run/app.sock;", FastCgiEndpointProtocol.Scgi)]
    [InlineData("unix:/run/app.sock|scgi://localhost/", FastCgiEndpointProtocol.Scgi)]
    [InlineData("unix:/run/app.sock|fcgi://localhost/", FastCgiEndpointProtocol.FastCgi)]
    [InlineData("proxy:fcgi://127.0.0.1:9000", FastCgiEndpointProtocol.FastCgi)]
    [InlineData("Proxy:scgi://127.0.0.1:9000/", FastCgiEndpointProtocol.Scgi)]
    [InlineData("proxy:unix:/run/app.sock|scgi://localhost", FastCgiEndpointProtocol.Scgi)]
    [InlineData("fastcgi://fd:3", FastCgiEndpointProtocol.FastCgi)]
    [InlineData("127.0.0.1:9000", FastCgiEndpointProtocol.FastCgi)]
    public void The_address_names_the_protocol(string text, FastCgiEndpointProtocol protocol)
    {
        Assert.True(FastCgiEndpoint.TryParse(text, out var endpoint, out var reason), reason);
        Assert.Equal(protocol, endpoint.Protocol);
    }

    [Theory]
    [InlineData("http://127.0.0.1:9000", "its scheme is 'http'")]
    [InlineData("proxy:http://127.0.0.1:9000", "its scheme is 'http'")]
    [InlineData("unix:run/app.sock", "absolute")]
    [InlineData("fd:three", "a number")]
    public void Another_text_says_why_it_is_none(string text, string reason)
    {
        Assert.False(FastCgiEndpoint.TryParse(text, out var endpoint, out var said));
        Assert.Null(endpoint);
        Assert.Contains(reason, said, StringComparison.Ordinal);
    }
}
