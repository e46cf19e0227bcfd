using System.Globalization;
using System.Net;
using System.Net.Sockets;
using FastCgi.Protocol;
using FastCgi.Tool.Commands;

namespace FastCgi.Tool.Tests.Commands;

public sealed class PingTests
{
    [Fact]
    public async Task An_application_says_what_it_can()
    {
        var run = await ToolRun.OnEchoAsync("ping", "APP", "--url", "/", "--timeout", ToolRun.AmpleTimeout);

        run.Succeeds("FCGI_MPXS_CONNS=1", "status 200");
    }

    [Theory]
    [InlineData(400)]
    [InlineData(503)]
    public async Task Json_has_the_values_and_a_bad_status_is_status_1(int status)
    {
        var run = await ToolRun.OnEchoAsync(
            "ping", "APP", "--url", $"/?status={status}", "--json", "--timeout", "86400");

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.Equal("1", (string)run.Json["values"]!["FCGI_MPXS_CONNS"]!);
        Assert.Equal(status, (int)run.Json["status"]!);
    }

    [Fact]
    public async Task SCGI_is_connected_to_and_not_asked()
    {
        await using var server = await EchoApplication.StartScgiAsync();

        var run = await ToolRun.OfAsync("ping", server.Address, "--url", "/", "--timeout", ToolRun.AmpleTimeout);

        run.Succeeds("status 200");
    }

    [Fact]
    public async Task A_peer_that_does_not_answer_the_question_is_fine()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();

        var timeout = Deadline.Of(TimeSpan.FromSeconds(0.2)).TotalSeconds.ToString(CultureInfo.InvariantCulture);
        var run = await ToolRun.OfAsync("ping", listener.LocalEndpoint.ToString()!, "--timeout", timeout);

        run.Succeeds("no answer to FCGI_GET_VALUES");
    }

    /// <summary>Linux leaves a connection without an answer while the queue of the listener is full.</summary>
    [Fact]
    public async Task A_connection_that_does_not_come_is_status_5()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(backlog: 0);
        Socket[] queue = [.. Enumerable.Range(0, 3).Select(
            static _ => new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))];
        foreach (var waiting in queue)
        {
            _ = waiting.ConnectAsync(listener.LocalEndPoint!);
        }

        var run = await ToolRun.OfAsync("ping", listener.LocalEndPoint!.ToString()!, "--timeout", "0.2");
        Array.ForEach(queue, static waiting => waiting.Dispose());

        run.Fails(ExitCode.Timeout, "no connection to", "within 0.2 s");
    }

    [Theory]
    [InlineData("ping", "proxy_pass")]
    [InlineData("get", "HTTP")]
    public async Task A_web_server_is_named(string command, string said)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var answering = listener.AcceptSocketAsync();

        var (run, ended, stop) = ToolRun.Start(
            command, listener.LocalEndpoint.ToString()!, "--timeout", ToolRun.AmpleTimeout);
        using var socket = await answering.Within("the connection");
        await socket.SendAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray());
        await ended.Within($"the end of {command}");
        stop.Dispose();

        run.Fails(ExitCode.BrokenAnswer, said);
    }

    [Theory]
    [InlineData("ping")]
    [InlineData("bench")]
    public async Task Nothing_there_is_status_3(string command)
    {
        var run = await ToolRun.OfAsync(command, $"127.0.0.1:{FreePort.Take()}");

        run.Fails(ExitCode.Unreachable, "Nothing listens there.");
    }

    [Theory]
    [InlineData("127.0.0.1:9000", "Give an address of this machine, or of one that it has a route to.")]
    [InlineData("unix:/run/none.sock", "There is no such socket file. Start the application, or correct the path.")]
    public void The_remedy_of_an_address_that_is_not_available_is_that_of_its_kind(string text, string remedy)
    {
        Assert.True(FastCgiEndpoint.TryParse(text, out var endpoint, out _));

        Assert.Equal(remedy, PingCommand.RemedyOf(SocketError.AddressNotAvailable, endpoint));
    }

    [Fact]
    public void A_TCP_connection_that_is_denied_is_no_matter_of_a_socket_file()
    {
        Assert.True(FastCgiEndpoint.TryParse("127.0.0.1:9000", out var endpoint, out _));

        Assert.DoesNotContain(
            "UnixMode", PingCommand.RemedyOf(SocketError.AccessDenied, endpoint), StringComparison.Ordinal);
    }
}
