namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>An upgrade whose head waits for room when its application returns without it.</summary>
public sealed class AbandonedUpgradeTests
{
    private readonly ScriptedTransport _transport = new() { Room = 0 };
    private Task<Stream>? _upgrade;
    private Task<ReadResult>? _read;

    [Fact]
    public async Task It_fails_and_does_not_take_the_body_of_the_next_request()
    {
        using var server = new ScriptedServer { Application = RunAsync };
        server.Options.Limits.MaxResponseBufferSize = 10;
        server.Accept(_transport, allowsUpgrade: true);

        // More than the limit is unsent, so the head of the upgrade waits.
        _transport.Bring(new RecordBuilder().Request(new RequestScript { Id = 5 }));
        _transport.Bring(new RecordBuilder().Request(new RequestScript
        {
            Id = 1, Target = "/upgrade", Headers = [("Connection", "Upgrade"), ("Upgrade", "mine")],
        }));
        Assert.False(_upgrade!.IsCompleted);
        var post = new RequestScript { Id = 2, Method = "POST", Target = "/read", Body = "body"u8.ToArray() };
        _transport.Bring(new RecordBuilder().Begin(2).Params(2, post.ToParams()).EndParams(2));
        Assert.False(_read!.IsCompleted);

        _transport.CompleteAllLater();

        await Assert.ThrowsAnyAsync<IOException>(() => _upgrade).Within("the upgrade");
        _transport.Bring(new RecordBuilder().Stdin(2, post.Body).EndStdin(2));
        var body = await _read.Within("the body of the next request");
        Assert.Equal("body", Encoding.ASCII.GetString(body.Buffer.FirstSpan));
    }

    private async Task RunAsync(HttpContext context)
    {
        switch (context.Request.Path.Value)
        {
            case "/upgrade":
                // Known before the end, so that a log entry after it has it.
                _ = context.TraceIdentifier;
                _upgrade = context.Features.Get<IHttpUpgradeFeature>()!.UpgradeAsync();
                break;
            case "/read":
                _read = context.Request.BodyReader.ReadAsync().AsTask();
                await _read;
                break;
            default:
                await context.Response.WriteAsync("hello");
                break;
        }
    }
}
