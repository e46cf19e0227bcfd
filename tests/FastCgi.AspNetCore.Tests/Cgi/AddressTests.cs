namespace FastCgi.AspNetCore.Tests.Cgi;

public class AddressTests
{
    private static readonly FastCgiServerOptions s_trusting = new() { AllowForwardedHeaders = true };

    [Theory]
    [InlineData("192.0.2.7", "192.0.2.7")]
    [InlineData("2001:db8::7", "2001:db8::7")]
    [InlineData("::ffff:192.0.2.7", "::ffff:192.0.2.7")]
    [InlineData("::1", "::1")]
    [InlineData("unix:", null)]
    [InlineData("unix:/run/x.sock", null)]
    [InlineData("", null)]
    [InlineData("1", null)]
    [InlineData("0x7f.0.0.1", null)]
    [InlineData("127.1", null)]
    [InlineData("[::1]", "::1")]
    [InlineData("[2001:db8::7]:4711", "2001:db8::7")]
    [InlineData("198.51.100.7:4711", "198.51.100.7")]
    [InlineData("fe80::1%3", "fe80::1%3")]
    [InlineData("[::1", null)]
    [InlineData("[::1]80", null)]
    [InlineData("[::1]:", null)]
    [InlineData("[::1]:65536", null)]
    [InlineData("[192.0.2.7]", "192.0.2.7")]
    [InlineData("[[::1]]", null)]
    [InlineData("192.0.2.7:", null)]
    [InlineData("192.0.2.7:http", null)]
    [InlineData("192.0.2.7, 192.0.2.8", null)]
    [InlineData("256.0.0.1", null)]
    [InlineData("localhost", null)]
    [InlineData("a\0b", null)]
    [InlineData("\u00FF\u00FE", null)]
    [InlineData("::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1", null)]
    public void An_address_is_one_or_none(string text, string? expected)
    {
        var request = ParamSet.With(("REMOTE_ADDR", text), ("SERVER_ADDR", text));
        var address = expected is null ? null : IPAddress.Parse(expected);

        Assert.Equal(address, request.RemoteIpAddress);
        Assert.Equal(address, request.LocalIpAddress);
    }

    /// <summary>
    /// Forwarded headers are believed of a client without an address. Clients of unix sockets have none either.
    /// </summary>
    [Theory]
    [InlineData("198.51.100.7:4711", false)]
    [InlineData("unix:", false)]
    [InlineData("unix", false)]
    [InlineData("@", false)]
    [InlineData("/run/lighttpd.sock", false)]
    [InlineData("localhost", false)]
    [InlineData("", true)]
    [InlineData("unknown", true)]
    [InlineData("1", true)]
    [InlineData("203.0.113.9:http", true)]
    [InlineData("203.0.113.9, 192.0.2.8", true)]
    [InlineData("::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1::1", true)]
    public void No_address_but_that_of_a_unix_socket_is_refused_where_forwarded_headers_are_allowed(
        string text, bool isRefused)
    {
        var request = ParamSet.With(("REMOTE_ADDR", text));

        var rejection = ParamSet.Rejection(s_trusting, ("REMOTE_ADDR", text));
        Assert.Equal(isRefused ? CgiRejection.InvalidRemoteAddress : null, rejection);
        Assert.Equal(isRefused && text.Length > 0, request.HasUnreadableRemoteAddress);
        Assert.Equal(text.StartsWith("198.", StringComparison.Ordinal), request.RemoteIpAddress is not null);
    }

    [Fact]
    public void Without_the_param_a_request_is_refused_where_forwarded_headers_are_allowed() =>
        Assert.Equal(CgiRejection.InvalidRemoteAddress, ParamSet.Rejection(s_trusting));

    [Theory]
    [InlineData("4711", 4711)]
    [InlineData("65535", 65535)]
    [InlineData("65536", 0)]
    [InlineData("99999999999999999999", 0)]
    [InlineData("0", 0)]
    [InlineData("-1", 0)]
    [InlineData("+80", 0)]
    [InlineData("80x", 0)]
    [InlineData("80\0", 0)]
    [InlineData("http", 0)]
    [InlineData("", 0)]
    public void A_port_is_one_or_none(string text, int expected)
    {
        var request = ParamSet.With(("REMOTE_PORT", text), ("SERVER_PORT", text));

        Assert.Equal((expected, expected), (request.RemotePort, request.LocalPort));
    }

    [Fact]
    public void The_same_text_gives_the_same_object_and_another_text_another()
    {
        var cached = new CachedAddress();
        var first = cached.Parse("192.0.2.7"u8);

        Assert.Same(first, cached.Parse("192.0.2.7"u8));
        Assert.Equal(IPAddress.Parse("192.0.2.70"), cached.Parse("192.0.2.70"u8));
        Assert.Null(cached.Parse("unix:"u8));
        Assert.Null(cached.Parse("unix:"u8));
        Assert.Equal(first, cached.Parse("192.0.2.7"u8));
        Assert.Null(cached.Parse(default));
    }
}
