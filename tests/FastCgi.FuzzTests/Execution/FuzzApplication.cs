using System.Collections.Concurrent;
using System.Globalization;
using System.IO.Pipelines;
using FastCgi.FuzzTests.Conversations;
using FastCgi.FuzzTests.Harness;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Execution;

/// <summary>Does what the target says, and keeps account of whom it saw.</summary>
public sealed class FuzzApplication
{
    private enum BodyApi
    {
        Stream,
        Pipe,
        TryRead,
    }

    private readonly ConcurrentDictionary<string, ConcurrentDictionary<string, int>> _seen = new();
    private readonly ConcurrentQueue<string> _complaints = new();
    private int _running;

    /// <summary>Requests that are in the application at this moment.</summary>
    public int Running => Volatile.Read(ref _running);

    /// <summary>The tokens of one conversation that were seen, and how often.</summary>
    public IReadOnlyDictionary<string, int> SeenOf(string key) => _seen.GetOrAdd(key, _ => new());

    /// <summary>What objects that outlived their requests did and must not do.</summary>
    public IReadOnlyCollection<string> Complaints => _complaints;

    public void Forget() => _seen.Clear();

    public async Task RunAsync(HttpContext context)
    {
        Interlocked.Increment(ref _running);
        try
        {
            await AnswerAsync(context);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async Task AnswerAsync(HttpContext context)
    {
        // The target as the peer sent it: what a mutation made of it is answered as it is.
        var target = context.Features.Get<IHttpRequestFeature>()!.RawTarget;
        var parts = target.Split('/', '?');
        if (parts.Length != 5 || !Enum.TryParse(parts[3], out Mode mode)
            || !int.TryParse(parts[4].AsSpan(2), NumberStyles.None, CultureInfo.InvariantCulture, out var filler)
            || filler > 1_000_000
            || parts[1].Concat(parts[2]).Any(character => !char.IsAsciiLetterOrDigit(character)))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        var token = $"{parts[1]}/{parts[2]}";
        _seen.GetOrAdd(parts[1], _ => new()).AddOrUpdate(token, 1, static (_, count) => count + 1);
        context.Response.Headers["X-Token"] = token;
        var method = context.Request.Method;
        var dice = new Random(token.Aggregate(0, static (sum, character) => (sum * 31) + character));
        if (dice.Next(4) == 0)
        {
            new KeptObjects(context, async () => await Task.Yield(), _complaints.Enqueue).UseLater();
        }

        switch (mode)
        {
            case Mode.Early:
                await WriteAsync(context, Script.Marker(method, target, mode, []));
                break;
            case Mode.Echo:
                await WriteAsync(context, Script.Marker(method, target, mode, []));
                await context.Request.Body.CopyToAsync(context.Response.Body, context.RequestAborted);
                break;
            default:
                var body = new MemoryStream();
                await ReadAsync(context, body, (BodyApi)dice.Next(3));
                if (mode == Mode.Yield)
                {
                    await Task.Yield();
                }

                await WriteAsync(context, Script.Marker(method, target, mode, body.ToArray()));
                break;
        }

        var rest = Script.FillerOf(token, filler).AsMemory();
        while (mode == Mode.Flush && rest.Length > 1000)
        {
            var piece = Math.Max(1000, rest.Length / 3);
            await context.Response.Body.WriteAsync(rest[..piece], context.RequestAborted);
            await context.Response.Body.FlushAsync(context.RequestAborted);
            rest = rest[piece..];
        }

        await context.Response.Body.WriteAsync(rest, context.RequestAborted);
    }

    private static async Task ReadAsync(HttpContext context, MemoryStream body, BodyApi api)
    {
        switch (api)
        {
            case BodyApi.Pipe:
                await context.Request.BodyReader.CopyToAsync(body, context.RequestAborted);
                break;
            case BodyApi.TryRead:
                await TryReadAsync(context.Request.BodyReader, body, context.RequestAborted);
                break;
            default:
                await context.Request.Body.CopyToAsync(body, context.RequestAborted);
                break;
        }
    }

    /// <summary>As parsers do: all of it is looked at, and only whole hundreds are taken, until the end has come.</summary>
    private static async Task TryReadAsync(PipeReader reader, MemoryStream body, CancellationToken aborted)
    {
        for (var isCompleted = false; !isCompleted;)
        {
            if (!reader.TryRead(out var result))
            {
                result = await reader.ReadAsync(aborted);
            }

            isCompleted = result.IsCompleted;
            var buffer = result.Buffer;
            var taken = buffer.Slice(0, isCompleted ? buffer.Length : buffer.Length / 100 * 100);
            foreach (var segment in taken)
            {
                body.Write(segment.Span);
            }

            reader.AdvanceTo(taken.End, buffer.End);
        }
    }

    private static Task WriteAsync(HttpContext context, byte[] bytes) =>
        context.Response.Body.WriteAsync(bytes, context.RequestAborted).AsTask();
}
