namespace FastCgi.AspNetCore.Tests.Hosting;

public class FastCgiAddressTests
{
    [Theory]
    [InlineData("fastcgi://127.0.0.1:9001", "fastcgi://127.0.0.1:9001")]
    [InlineData("FastCGI://127.0.0.1:9001/", "fastcgi://127.0.0.1:9001")]
    [InlineData("fastcgi://127.0.0.1", "fastcgi://127.0.0.1:9000")]
    [InlineData("fastcgi://127.0.0.1:0", "fastcgi://127.0.0.1:0")]
    [InlineData("fastcgi://[::1]:9001", "fastcgi://[::1]:9001")]
    [InlineData("fastcgi://[::1]", "fastcgi://[::1]:9000")]
    [InlineData("fastcgi://*:9001", "fastcgi://[::]:9001")]
    [InlineData("fastcgi://+:9001", "fastcgi://[::]:9001")]
    [InlineData("*:9001", "fastcgi://[::]:9001")]
    [InlineData("fastcgi://0.0.0.0:9001", "fastcgi://0.0.0.0:9001")]
    [InlineData("fcgi://127.0.0.1:9001", "fastcgi://127.0.0.1:9001")]
    [InlineData("fcgi://127.0.0.1:9001/", "fastcgi://127.0.0.1:9001")]
    [InlineData("tcp://127.0.0.1:9001", "fastcgi://127.0.0.1:9001")]
    [InlineData("127.0.0.1:9001", "fastcgi://127.0.0.1:9001")]
    [InlineData(" 127.0.0.1:9001; ", "fastcgi://127.0.0.1:9001")]
    [InlineData("[::1]:9001", "fastcgi://[::1]:9001")]
    [InlineData(":9001", "fastcgi://127.0.0.1:9001")]
    [InlineData("9001", "fastcgi://127.0.0.1:9001")]
    [InlineData("fastcgi://unix:/run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("fastcgi://unix:///run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("fastcgi:///run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix:/run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix:/run/app/app.sock;", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix:///run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix//run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix@/run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("/run/app/app.sock", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("unix:/run/app/app.sock|fcgi://localhost/", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("proxy:unix:/run/app/app.sock|fcgi://localhost", "fastcgi://unix:/run/app/app.sock")]
    [InlineData("fastcgi://unix:@app", "fastcgi://@app")]
    [InlineData("fastcgi://@app", "fastcgi://@app")]
    [InlineData("unix:@app:1", "fastcgi://@app%3A1")]
    [InlineData("fastcgi://fd:3", "fastcgi://fd:3")]
    [InlineData("fd:0", "fastcgi://fd:0")]
    public void An_address_in_any_dialect_is_published_in_one_form_that_the_framework_can_parse(
        string address, string published)
    {
        var text = Assert.Single(Parse(address)).ToString();

        Assert.Equal(published, text);
        Assert.Equal("fastcgi", BindingAddress.Parse(text).Scheme);
    }

    [Theory]
    [InlineData("scgi://127.0.0.1:9001", "scgi://127.0.0.1:9001")]
    [InlineData("SCGI://127.0.0.1:9001/", "scgi://127.0.0.1:9001")]
    [InlineData("scgi://*:9001", "scgi://[::]:9001")]
    [InlineData("scgi://unix:/run/app/app.sock", "scgi://unix:/run/app/app.sock")]
    [InlineData("scgi:///run/app/app.sock", "scgi://unix:/run/app/app.sock")]
    [InlineData("unix:/run/app/app.sock|scgi://localhost/", "scgi://unix:/run/app/app.sock")]
    [InlineData("scgi://unix:@app", "scgi://@app")]
    [InlineData("scgi://fd:3", "scgi://fd:3")]
    public void The_scheme_scgi_is_for_the_other_protocol(string address, string published)
    {
        var listen = Assert.Single(Parse(address));

        Assert.Equal((FastCgiEndpointProtocol.Scgi, true, published), (listen.Protocol, listen.AllowUpgrade, listen.ToString()));
        Assert.Equal("scgi", BindingAddress.Parse(published).Scheme);
    }

    [Fact]
    public void On_FastCGI_an_upgrade_has_to_be_allowed()
    {
        var listen = Assert.Single(Parse("fastcgi://127.0.0.1:9001"));

        Assert.False(listen.AllowUpgrade);
        listen.Protocol = FastCgiEndpointProtocol.Scgi;
        Assert.True(listen.AllowUpgrade);
        listen.AllowUpgrade = false;
        Assert.False(listen.AllowUpgrade);
        Assert.Throws<ArgumentOutOfRangeException>(() => listen.Protocol = (FastCgiEndpointProtocol)7);
    }

    [Theory]
    [InlineData("fastcgi://localhost:9001")]
    [InlineData("localhost:9001")]
    [InlineData("fcgi://LOCALHOST:9001/")]
    public void Localhost_is_both_loopback_addresses(string address) =>
        Assert.Equal(
            ["fastcgi://127.0.0.1:9001", "fastcgi://[::1]:9001"], Parse(address).Select(listen => listen.ToString()));

    [Theory]
    [InlineData("fastcgi://127.0.0.1:9001/app", "UsePathBase")]
    [InlineData("fastcgi://example.com:9001", "'example.com' is neither an IP address")]
    [InlineData("fastcgi://010.0.0.1:9001", "'010.0.0.1' is neither")]
    [InlineData("fastcgi://127.1:9001", "'127.1' is neither")]
    [InlineData("::1", "[::1]")]
    [InlineData("fastcgi://::1:9001", "[::1]")]
    [InlineData("fastcgi://[127.0.0.1]:9001", "neither an IP address")]
    [InlineData("fastcgi://127.0.0.1:65536", "the port is not a number from 0 to 65535")]
    [InlineData("fastcgi://127.0.0.1:", "the port is not")]
    [InlineData("fastcgi://127.0.0.1:+1", "the port is not")]
    [InlineData("99999", "the port is not")]
    [InlineData("fastcgi://localhost:0", "localhost is two addresses")]
    [InlineData("fastcgi://", "names no host")]
    [InlineData("", "names no host")]
    [InlineData("unix:run/app.sock", "must be absolute")]
    [InlineData("unix:", "must be absolute")]
    [InlineData("unix:@", "must be absolute")]
    [InlineData("fastcgi://fd:three", "a descriptor is a number")]
    [InlineData("fastcgi://fd:-1", "a descriptor is a number")]
    [InlineData("net.tcp://127.0.0.1:9001", "its scheme is 'net.tcp'")]
    public void What_names_nothing_is_refused_with_a_reason_and_an_example(string address, string reason)
    {
        var exception = Assert.Throws<FormatException>(() => Parse(address));

        Assert.Contains($"'{address}'", exception.Message, StringComparison.Ordinal);
        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
        Assert.Contains("fastcgi://unix:/run/app/app.sock", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>The address is right; what the code for its endpoint says is for its author.</summary>
    [Theory]
    [InlineData("unix:/run/app/app.sock")]
    [InlineData("127.0.0.1:9000")]
    public void An_error_of_the_code_for_an_endpoint_comes_out_as_it_is(string address)
    {
        var options = new FastCgiServerOptions();
        options.ConfigureEndpointDefaults(static listen => listen.UnixMode = (UnixFileMode)(-1));

        var exception = Assert.Throws<ArgumentOutOfRangeException>(
            () => FastCgiAddress.Listen(options, address, static _ => { }));

        Assert.Contains("UnixMode", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_socket_path_that_the_system_cannot_hold_is_refused() =>
        Assert.Contains(
            "longer than the system allows (Linux: 107)",
            Assert.Throws<FormatException>(() => Parse("unix:/" + new string('x', 200))).Message,
            StringComparison.Ordinal);

    [Fact]
    public void An_abstract_socket_begins_with_a_null_and_all_addresses_is_an_address_of_IPv6()
    {
        Assert.Equal(new UnixDomainSocketEndPoint("\0app"), Assert.Single(Parse("unix:@app")).EndPoint);
        Assert.Equal(new IPEndPoint(IPAddress.IPv6Any, 9001), Assert.Single(Parse("*:9001")).EndPoint);
    }

    [Theory]
    [InlineData("http://localhost:5000", true)]
    [InlineData("HTTPS://*:5001", true)]
    [InlineData("fastcgi://127.0.0.1:9000", false)]
    [InlineData("http", false)]
    public void HTTP_addresses_are_recognised(string address, bool isHttp) =>
        Assert.Equal(isHttp, FastCgiAddress.IsHttp(address));

    private static IReadOnlyList<FastCgiListenOptions> Parse(string address)
    {
        var options = new FastCgiServerOptions();
        FastCgiAddress.Listen(options, address, static _ => { });
        return options.GetEndpoints();
    }
}
