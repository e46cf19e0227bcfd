using System.Net;
using System.Text;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Tests.Hosting;
using FastCgi.Protocol;
using FastCgi.TestKit;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>
/// What changes the requests of a connection does it under the gate: a stop that gives up waiting, on another thread,
/// comes before it or after it.
/// </summary>
public sealed class ConnectionGateTests : IDisposable
{
    private readonly LogRecorder _logs = new();
    private readonly ILoggerFactory _loggers;
    private readonly ScriptedTransport _transport = new();
    private ConnectionSet? _connections;
    private WaitingCall? _abort;

    public ConnectionGateTests() => _loggers = LoggerFactory.Create(
        logging => logging.SetMinimumLevel(LogLevel.Trace).AddProvider(_logs));

    public void Dispose()
    {
        _connections?.Dispose();
        _loggers.Dispose();
    }

    [Fact]
    public void A_response_that_breaks_off()
    {
        Connect(async context =>
        {
            await context.Response.WriteAsync("hel");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
        AbortWhenLogged(LogEvents.ResponseTorn);
        Receive(new RecordBuilder().Request(new RequestScript()));
        AssertWaited();
    }

    [Fact]
    public void The_end_of_a_response()
    {
        Connect(static context => context.Response.WriteAsync("hello"));
        _transport.InSend = AbortOnAnotherThread;
        Receive(new RecordBuilder().Request(new RequestScript()));
        AssertWaited();
        Assert.Contains("hello", Encoding.ASCII.GetString([.. _transport.Sent]), StringComparison.Ordinal);
    }

    [Fact]
    public void Records_that_have_come()
    {
        Connect(static context => Task.Delay(Timeout.Infinite, context.RequestAborted));
        Receive(new RecordBuilder().Request(new RequestScript()));
        AbortWhenLogged(LogEvents.PeerAborted);
        Receive(new RecordBuilder().Abort());
        AssertWaited();
        Assert.Equal(RecordWriter.EndRequestRecordSize, _transport.Sent.Count);
    }

    private void Connect(RequestDelegate application)
    {
        var server = new ServerContext(new FastCgiServerOptions(), _loggers, new ManualTimeProvider());
        _connections = new ConnectionSet(
            server, new ApplicationRunner<HttpContext>(new DelegateApplication(application)));
        _connections.OnAccepted(_transport, new FastCgiListenOptions(new IPEndPoint(IPAddress.Loopback, 0)));
    }

    private void Receive(RecordBuilder records)
    {
        _transport.Feed(records.ToArray());
        _transport.Handler!.OnReadable();
    }

    private void AbortWhenLogged(int eventId) => _logs.OnEntry = entry =>
    {
        if (entry.EventId.Id == eventId)
        {
            AbortOnAnotherThread();
        }
    };

    private void AbortOnAnotherThread() => _abort ??= WaitingCall.Start(_connections!.AbortAll);

    private void AssertWaited()
    {
        Assert.NotNull(_abort);
        Assert.True(_abort.HasWaited);
        Assert.True(_abort.Ends());
        Assert.Contains("close", _transport.Calls);
        Assert.True(SpinWait.SpinUntil(() => _connections!.OpenRequests == 0, Deadline.Default));
    }
}
