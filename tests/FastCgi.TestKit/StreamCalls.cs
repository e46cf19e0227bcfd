namespace FastCgi.TestKit;

/// <summary>Odd calls of a stream: null buffers, wrong ranges, tokens that are cancelled already.</summary>
public static class StreamCalls
{
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    /// <summary>On a stream that has five bytes to read.</summary>
    public static Dictionary<string, Func<Stream, Task>> Reads { get; } = new()
    {
        ["ReadAsync of nothing, then of all"] = body => Later(
            async () => $"{await body.ReadAsync(Memory<byte>.Empty)} {await body.ReadAsync(new byte[9])}"),
        ["Dispose, then ReadAsync"] = body =>
        {
            body.Dispose();
            return body.ReadAsync(new byte[9], 0, 9);
        },
        ["BeginRead with a callback"] = body => Later(async () =>
        {
            var buffer = new byte[9];
            var called = new TaskCompletionSource<IAsyncResult>();
            body.BeginRead(buffer, 1, 8, called.SetResult, "state");
            var result = await called.Task;
            return $"{result.AsyncState} {body.EndRead(result)} {Convert.ToHexString(buffer)}";
        }),
        ["ReadAsync(null, 0, 0)"] = body => body.ReadAsync(null!, 0, 0),
        ["ReadAsync(null, 0, 1)"] = body => body.ReadAsync(null!, 0, 1),
        ["ReadAsync(null, -1, 0)"] = body => body.ReadAsync(null!, -1, 0),
        ["ReadAsync(1, -1, 0)"] = body => body.ReadAsync(new byte[1], -1, 0),
        ["ReadAsync(1, 0, -1)"] = body => body.ReadAsync(new byte[1], 0, -1),
        ["ReadAsync(1, 1, 1)"] = body => body.ReadAsync(new byte[1], 1, 1),
        ["ReadAsync(1, 2, 0)"] = body => body.ReadAsync(new byte[1], 2, 0),
        ["ReadAsync(1, 1, 0)"] = body => body.ReadAsync(new byte[1], 1, 0),
        ["ReadAsync, cancelled"] = body => body.ReadAsync(new byte[1], 0, 1, s_cancelled),
        ["ReadAsync of memory, cancelled"] = body => body.ReadAsync(new byte[1], s_cancelled).AsTask(),
        ["ReadAsync(null, 0, 0), cancelled"] = body => body.ReadAsync(null!, 0, 0, s_cancelled),
        ["ReadAtLeastAsync, cancelled"] = body => body.ReadAtLeastAsync(new byte[1], 1, true, s_cancelled).AsTask(),
        ["Read(null, 0, 0)"] = body => Now(() => body.Read(null!, 0, 0)),
        ["Read(null, 0, 1)"] = body => Now(() => body.Read(null!, 0, 1)),
        ["Read(1, 1, 1)"] = body => Now(() => body.Read(new byte[1], 1, 1)),
        ["Read of a span"] = body => Now(() => body.Read(new byte[1].AsSpan())),
        ["ReadByte"] = body => Now(() => body.ReadByte()),
        ["BeginRead(null, 0, 0)"] = body => Now(() => body.EndRead(body.BeginRead(null!, 0, 0, null, null))),
        ["BeginRead(1, 1, 1)"] = body => Now(() => body.EndRead(body.BeginRead(new byte[1], 1, 1, null, null))),
        ["CopyToAsync(null)"] = body => body.CopyToAsync(null!),
        ["CopyToAsync(null, 0)"] = body => body.CopyToAsync(null!, 0),
        ["CopyToAsync, 0"] = body => body.CopyToAsync(Stream.Null, 0),
        ["CopyToAsync, -1"] = body => body.CopyToAsync(Stream.Null, -1),
        ["CopyToAsync, cancelled"] = body => body.CopyToAsync(Stream.Null, s_cancelled),
        ["CopyToAsync, read only"] = body => body.CopyToAsync(new MemoryStream([], writable: false)),
        ["CopyTo"] = body => Now(() => body.CopyTo(Stream.Null)),
        ["FlushAsync of what is read, cancelled"] = body => body.FlushAsync(s_cancelled),
        ["Flush of what is read"] = body => Now(body.Flush),
    };

    /// <summary>Of a buffer that is null, or of a range that it does not have.</summary>
    public static Dictionary<string, Func<Stream, Task>> WrongWrites { get; } = new()
    {
        ["WriteAsync(null, 0, 0)"] = body => body.WriteAsync(null!, 0, 0),
        ["WriteAsync(null, 0, 1)"] = body => body.WriteAsync(null!, 0, 1),
        ["WriteAsync(null, -1, 0)"] = body => body.WriteAsync(null!, -1, 0),
        ["WriteAsync(1, -1, 0)"] = body => body.WriteAsync(new byte[1], -1, 0),
        ["WriteAsync(1, 0, -1)"] = body => body.WriteAsync(new byte[1], 0, -1),
        ["WriteAsync(1, 1, 1)"] = body => body.WriteAsync(new byte[1], 1, 1),
        ["WriteAsync(1, 2, 0)"] = body => body.WriteAsync(new byte[1], 2, 0),
        ["WriteAsync(1, 1, 0)"] = body => body.WriteAsync(new byte[1], 1, 0),
        ["Write(null, 0, 0)"] = body => Now(() => body.Write(null!, 0, 0)),
        ["Write(null, 0, 1)"] = body => Now(() => body.Write(null!, 0, 1)),
        ["Write(1, 1, 1)"] = body => Now(() => body.Write(new byte[1], 1, 1)),
        ["BeginWrite(null, 0, 0)"] = body => Now(() => body.EndWrite(body.BeginWrite(null!, 0, 0, null, null))),
        ["BeginWrite(1, 1, 1)"] = body => Now(() => body.EndWrite(body.BeginWrite(new byte[1], 1, 1, null, null))),
    };

    public static Task Now(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    public static Task<T> Now<T>(Func<T> call) => Task.FromResult(call());

    public static Task<string> Later(Func<Task<string>> call) => call();

    /// <summary>The result or the exception, whose message differs but for the way to allow synchronous calls.</summary>
    public static async Task<string> TellAsync(Func<Task> call)
    {
        Task? task = null;
        try
        {
            task = call();
            await task.Within("the call");
            return task switch
            {
                Task<int> { Result: var count } => $"returns {count}",
                Task<bool> { Result: var can } => $"returns {can}",
                Task<string> { Result: var text } => $"returns {text}",
                _ => "returns",
            };
        }
        catch (Exception exception)
        {
            const string Way = "AllowSynchronousIO";
            var way = exception.Message.Contains(Way, StringComparison.Ordinal) ? Way : "";
            return $"{(task is null ? "throws" : "fails with")} {exception.GetType().Name} "
                + $"{(exception as ArgumentException)?.ParamName}{way}";
        }
    }
}
