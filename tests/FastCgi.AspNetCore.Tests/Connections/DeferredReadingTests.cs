namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>
/// A connection that carries one request enters the epoll set only if that request goes on elsewhere, or keeps its
/// thread.
/// </summary>
public sealed class DeferredReadingTests : IDisposable
{
    private static readonly RequestScript s_last = new() { KeepConnection = false };

    private readonly ScriptedTransport _transport = new() { Defers = true };
    private readonly ScriptedServer _server = new();

    public void Dispose() => _server.Dispose();

    [Fact]
    public void A_request_that_ends_on_the_thread_closes_the_connection_before_it_is_read_again()
    {
        Connect(static context => context.Response.WriteAsync("hello"));
        using (new StillMonitor())
        {
            _transport.Bring(new RecordBuilder().Request(s_last));
        }

        Assert.Equal(["defer", "close", "resume"], _transport.Calls);
        Assert.NotEmpty(_transport.Sent);
    }

    [Fact]
    public void A_request_that_awaits_has_the_socket_read_at_once()
    {
        var goOn = new TaskCompletionSource();
        Connect(_ => goOn.Task);
        _transport.Bring(new RecordBuilder().Request(s_last));
        Assert.Equal(["defer", "resume"], _transport.Calls);

        _transport.Bring(new RecordBuilder().Abort());
        goOn.SetResult();
        Assert.Contains("close", _transport.Calls);
    }

    /// <summary>The monitor sees that the thread is kept: an abort gets through.</summary>
    [Fact]
    public void A_request_that_keeps_its_thread_has_the_socket_read_by_others()
    {
        var isAborted = false;
        Connect(context =>
        {
            Assert.True(SpinWait.SpinUntil(() => HasResumed, Deadline.Default));
            _transport.Bring(new RecordBuilder().Abort());
            isAborted = context.RequestAborted.IsCancellationRequested
                || context.RequestAborted.WaitHandle.WaitOne(Deadline.Default);
            return Task.CompletedTask;
        });
        _transport.Bring(new RecordBuilder().Request(s_last));
        Assert.True(isAborted);
        Assert.Single(_transport.Calls, "resume");
    }

    [Fact]
    public void A_kept_connection_and_a_body_that_still_comes_are_read_before_the_run()
    {
        Connect(static context => context.Response.WriteAsync("hello"));
        _transport.Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal(["end reading"], _transport.Calls);

        _transport.Calls.Clear();
        var upload = s_last with { Method = "POST", ExtraParams = [("CONTENT_LENGTH", "10")] };
        _transport.Bring(new RecordBuilder()
            .Begin(1, keepConnection: false).Params(1, upload.ToParams()).EndParams().Stdin(1, "part"u8));
        Assert.DoesNotContain("defer", _transport.Calls);
    }

    private bool HasResumed
    {
        get
        {
            lock (_transport.Calls)
            {
                return _transport.Calls.Contains("resume");
            }
        }
    }

    private void Connect(RequestDelegate application)
    {
        _server.Application = application;
        _server.Accept(_transport);
    }
}
