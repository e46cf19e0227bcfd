using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Tests.Hosting;

public class ListenOptionsTests
{
    private readonly FastCgiServerOptions _options = new();

    [Fact]
    public void Each_way_to_listen_adds_its_endpoint()
    {
        _options.Listen(IPAddress.Loopback, 9001);
        _options.Listen(new IPEndPoint(IPAddress.IPv6Loopback, 9002));
        _options.Listen(new UnixDomainSocketEndPoint("/run/a.sock"));
        _options.Listen(new FileHandleEndPoint(5, FileHandleType.Auto));
        _options.ListenLocalhost(9003);
        _options.ListenAnyIP(9004);
        _options.ListenUnixSocket("/run/b.sock");
        _options.ListenHandle(3);

        Assert.Equal(
            [
                "fastcgi://127.0.0.1:9001", "fastcgi://[::1]:9002", "fastcgi://unix:/run/a.sock", "fastcgi://fd:5",
                "fastcgi://127.0.0.1:9003", "fastcgi://[::1]:9003", "fastcgi://[::]:9004", "fastcgi://unix:/run/b.sock",
                "fastcgi://fd:3",
            ],
            _options.GetEndpoints().Select(static listen => listen.ToString()));
    }

    [Fact]
    public void An_endpoint_says_what_it_is()
    {
        _options.ListenUnixSocket("/run/a.sock");
        _options.ListenHandle(3);
        _options.Listen(IPAddress.Loopback, 9001);

        Assert.Equal(
            [("/run/a.sock", null), (null, 3ul), (null, null)],
            _options.GetEndpoints().Select(static listen => (listen.SocketPath, listen.FileHandle)));
    }

    [Theory]
    [InlineData("app.sock", "must be absolute")]
    [InlineData("", "empty")]
    public void A_relative_or_missing_socket_path_is_refused(string path, string reason) =>
        Assert.Contains(reason, Assert.Throws<ArgumentException>(
            () => _options.ListenUnixSocket(path)).Message, StringComparison.Ordinal);

    [Fact]
    public void A_protocol_makes_an_SCGI_endpoint()
    {
        _options.Listen(IPAddress.Loopback, 9001, static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
        _options.ListenUnixSocket("/run/a.sock", static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);

        Assert.Equal(
            ["scgi://127.0.0.1:9001", "scgi://unix:/run/a.sock"],
            _options.GetEndpoints().Select(static listen => listen.ToString()));
        Assert.All(_options.GetEndpoints(), static listen => Assert.True(listen.AllowUpgrade));
    }

    [Theory]
    [InlineData(660)]
    [InlineData(0b1_110_110_000)]
    [InlineData(-1)]
    public void A_mode_that_is_not_made_of_permissions_is_refused(int mode) =>
        _options.ListenUnixSocket("/run/a.sock", listen =>
        {
            listen.UnixMode = (UnixFileMode)0b110_110_000;
            var refused = Assert.Throws<ArgumentOutOfRangeException>(() => listen.UnixMode = (UnixFileMode)mode);
            Assert.Contains("no octal numbers", refused.Message, StringComparison.Ordinal);
            Assert.Equal((UnixFileMode)0b110_110_000, listen.UnixMode);
            listen.UnixMode = null;
        });

    [Fact]
    public void Defaults_come_before_the_configuration_of_an_endpoint()
    {
        _options.ListenUnixSocket("/run/before.sock");
        _options.ConfigureEndpointDefaults(static listen => listen.Backlog = 1);
        _options.ListenUnixSocket("/run/default.sock");
        _options.ListenUnixSocket("/run/own.sock", static listen => listen.Backlog++);

        Assert.Equal([512, 1, 2], _options.GetEndpoints().Select(static listen => listen.Backlog));
    }

    [Fact]
    public void Values_out_of_range_are_refused_when_they_are_set()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.ListenLocalhost(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.ThreadCount = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.Transport = (FastCgiTransport)9);
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.TargetSource = (FastCgiTargetSource)9);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => _options.Listen(IPAddress.Loopback, 9001, static listen => listen.Backlog = 0));
    }
}
