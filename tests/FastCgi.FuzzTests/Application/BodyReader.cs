using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Application;

/// <summary>Reads the body of a request in the way of its script, and compares it byte by byte.</summary>
internal sealed class BodyReader(HttpContext context, Script script, IThreads threads)
{
    private readonly MemoryStream? _copy = script.Conversation.IsMutated ? new MemoryStream() : null;
    private int _position;

    /// <summary>What came, where it need not be the request of the script.</summary>
    public string? Mark => script.ReadsAll && _copy is not null
        ? BodyMark.Of(context.Request.Method, _copy.GetBuffer().AsSpan(0, (int)_copy.Length))
        : null;

    /// <summary>Half of the scripts read in another way of the same kind.</summary>
    private bool IsOther => (script.Nonce & 16) != 0;

    /// <summary>Reads one stream and writes the other, as a proxy does.</summary>
    public static async Task EchoAsync(Stream from, Stream to, Script script, IThreads threads)
    {
        if (!script.IsUpgrade && (script.Nonce & 16) != 0)
        {
            await from.CopyToAsync(to);
            return;
        }

        var buffer = ArrayPool<byte>.Shared.Rent(1024);
        try
        {
            while (await from.ReadAsync(buffer) is > 0 and var count)
            {
                if (script.Hops)
                {
                    await new Hop(threads);
                }

                await to.WriteAsync(buffer.AsMemory(0, count));
                await to.FlushAsync();
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    public async Task ReadAsync()
    {
        switch (script.Reads)
        {
            case Reading.None:
                return;
            case Reading.Pipe:
                await ReadPipeAsync(examinesMore: false, tries: false);
                break;
            case Reading.Examine:
                await ReadPipeAsync(examinesMore: true, tries: false);
                break;
            case Reading.Stream:
                await ReadStreamAsync(int.MaxValue);
                break;
            case Reading.Part:
                await ReadStreamAsync(script.BodyLength / 2);
                return;
            case Reading.TryRead:
                await ReadPipeAsync(examinesMore: IsOther, tries: true);
                break;
            case Reading.Form:
                await ReadFormAsync();
                return;
            case Reading.Lent:
                await context.Request.BodyReader.ReadAsync();
                return;
            case Reading.Abandoned:
                _ = AbandonAsync();
                return;
            case Reading.Cancelled:
                threads.Queue(static reader => reader.CancelPendingRead(), context.Request.BodyReader);
                await ReadPipeAsync(examinesMore: false, tries: false);
                break;
            case Reading.Completed:
                context.Request.BodyReader.Complete();
                return;
            case Reading.CompletedTwice:
                context.Request.BodyReader.Complete();
                context.Request.BodyReader.CancelPendingRead();
                context.Request.BodyReader.Complete();
                return;
            case Reading.CompletedWaiting:
                _ = AbandonAsync();
                context.Request.BodyReader.Complete();
                return;
            case Reading.CompletedLent:
                await context.Request.BodyReader.ReadAsync();
                context.Request.BodyReader.Complete();
                return;
            case Reading.Peeked:
                Peek();
                return;
            case Reading.Limited:
                await ReadLimitedAsync();
                return;
            default:
                var copy = new MemoryStream();
                await (IsOther
                    ? context.Request.BodyReader.CopyToAsync(copy, context.RequestAborted)
                    : context.Request.Body.CopyToAsync(copy, context.RequestAborted));
                Compare(copy.GetBuffer().AsSpan(0, (int)copy.Length));
                break;
        }

        if (script.Conversation.IsClean && _position != script.BodyLength)
        {
            script.Complain($"the body ended after {_position} bytes: {script}");
        }
    }

    private async Task ReadPipeAsync(bool examinesMore, bool tries)
    {
        var reader = context.Request.BodyReader;
        while (true)
        {
            ReadResult result = default;
            if (!tries || !reader.TryRead(out result))
            {
                result = await reader.ReadAsync(context.RequestAborted);
            }

            if (script.Hops)
            {
                await new Hop(threads);
            }

            // As parsers do: all of it is looked at, and only whole hundreds are taken, until the end has come.
            var buffer = result.Buffer;
            var taken = examinesMore && !result.IsCompleted ? buffer.Length / 100 * 100 : buffer.Length;
            foreach (var segment in buffer.Slice(0, taken))
            {
                Compare(segment.Span);
            }

            reader.AdvanceTo(buffer.GetPosition(taken), buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }
    }

    /// <summary>The bytes are no form, and a mutation may say another type: what comes of it does not matter.</summary>
    private async Task ReadFormAsync()
    {
        try
        {
            await context.Request.ReadFormAsync(context.RequestAborted);
        }
        catch (InvalidDataException)
        {
        }
        catch (InvalidOperationException) when (script.Conversation.IsMutated)
        {
        }
    }

    private void Peek()
    {
        var reader = context.Request.BodyReader;
        for (var i = 0; i < 3; i++)
        {
            reader.CancelPendingRead();
            if (reader.TryRead(out var result) && !result.IsCanceled)
            {
                reader.AdvanceTo(result.Buffer.Start);
            }

            threads.MayPreempt();
        }

        reader.Complete();
    }

    private async Task ReadLimitedAsync()
    {
        try
        {
            context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = 1;
        }
        catch (BadHttpRequestException)
        {
        }

        // An exception costs as much as the rest of a conversation, and each await throws it again.
        var read = ReadStreamAsync(int.MaxValue);
        await read.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (read.Exception?.InnerException is not BadHttpRequestException)
        {
            await read;
        }

        // Else it is 413, which this application answers as if nothing had happened.
    }

    private async Task AbandonAsync()
    {
        try
        {
            await context.Request.BodyReader.ReadAsync();
            threads.MayPreempt();
        }
        catch (Exception exception) when (exception is ObjectDisposedException or IOException
            or InvalidOperationException)
        {
            // The request was over first.
        }
    }

    private async Task ReadStreamAsync(int most)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(512);
        try
        {
            while (_position < most
                && await context.Request.Body.ReadAsync(buffer, context.RequestAborted) is > 0 and var count)
            {
                Compare(buffer.AsSpan(0, count));
                if (script.Hops)
                {
                    await new Hop(threads);
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void Compare(ReadOnlySpan<byte> bytes)
    {
        _copy?.Write(bytes);
        if (script.Conversation.IsClean
            && (_position + bytes.Length > script.BodyLength
                || !bytes.SequenceEqual(script.Body.Slice(_position, bytes.Length))))
        {
            script.Complain($"bytes from {_position} on that were not sent: {script}");
        }

        _position += bytes.Length;
    }
}
