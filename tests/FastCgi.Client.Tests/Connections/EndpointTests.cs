using System.Net.Sockets;
using FastCgi.Client.Connections;

namespace FastCgi.Client.Tests.Connections;

/// <summary>Where a handler connects to, and what it says when it cannot.</summary>
public sealed class EndpointTests
{
    [Theory]
    [InlineData("unix:/run/app.sock", "/run/app.sock", false)]
    [InlineData("/run/app.sock", "/run/app.sock", false)]
    [InlineData("fastcgi://unix:/run/app.sock", "/run/app.sock", false)]
    [InlineData("scgi://unix:/run/app.sock", "/run/app.sock", true)]
    [InlineData("@app", "@app", false)]
    [InlineData("127.0.0.1:9000", "127.0.0.1:9000", false)]
    [InlineData("9001", "127.0.0.1:9001", false)]
    [InlineData("fcgi://[::1]:9000", "[::1]:9000", false)]
    [InlineData("scgi://php.example", "Unspecified/php.example:9000", true)]
    public void An_endpoint_is_written_as_in_a_web_servers_file(string text, string expected, bool isScgi)
    {
        var target = ConnectionTarget.From(text, hasCallback: false);
        Assert.Equal(expected, target.EndPoint!.ToString());
        Assert.Equal(isScgi, target.Protocol == FastCgiEndpointProtocol.Scgi);
    }

    [Theory]
    [InlineData("")]
    [InlineData("http://localhost:9000")]
    [InlineData("unix:run/app.sock")]
    [InlineData("127.0.0.1:0")]
    [InlineData("*:9000")]
    [InlineData("fd:3")]
    [InlineData("host:70000")]
    [InlineData("a b:9000")]
    public void A_wrong_endpoint_is_named_with_the_right_forms(string text)
    {
        var exception = Assert.Throws<FormatException>(() => new FastCgiHandler(text));
        Assert.Contains($"'{text}'", exception.Message, StringComparison.Ordinal);
        Assert.Contains("unix:/run/app/app.sock", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_socket_and_a_closed_port_are_connect_errors()
    {
        int port;
        using (var listener = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            port = ((IPEndPoint)listener.LocalEndPoint!).Port;
        }

        foreach (string endpoint in (string[])[$"127.0.0.1:{port}", $"unix:/tmp/fcgi-{Guid.NewGuid():N}.sock"])
        {
            using var client = new HttpClient(new FastCgiHandler(endpoint));
            var exception = await client.GetAsync("http://localhost/").FailsAsync(FastCgiError.ConnectFailed);
            Assert.Equal(HttpRequestError.ConnectionError, exception.HttpRequestError);
            Assert.Contains(endpoint, exception.Message, StringComparison.Ordinal);
            Assert.Contains("Start the application", exception.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("127.0.0.1:9000", SocketError.AddressNotAvailable, "no local address or port")]
    [InlineData("unix:/run/app.sock", SocketError.AddressNotAvailable, "no such socket file")]
    [InlineData("127.0.0.1:9000", SocketError.AccessDenied, "firewall")]
    [InlineData("unix:/run/app.sock", SocketError.AccessDenied, "group or mode")]
    public async Task What_is_to_be_done_belongs_to_the_kind_of_endpoint(string endpoint, SocketError error, string part)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.Endpoint = endpoint;
            options.ConnectCallback = (_, _) => throw new SocketException((int)error);
        });
        var exception = await application.SendAsync().FailsAsync(FastCgiError.ConnectFailed);
        Assert.Contains(part, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_that_takes_too_long_is_a_timeout()
    {
        using var application = new ScriptedApplication(static options =>
        {
            options.ConnectTimeout = TimeSpan.FromSeconds(5);
            options.ConnectCallback = static async (_, cancellationToken) =>
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
                return Stream.Null;
            };
        });
        Task<HttpResponseMessage> sending = application.SendAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(5));
        await sending.FailsAsync(FastCgiError.ConnectTimeout);
    }
}
