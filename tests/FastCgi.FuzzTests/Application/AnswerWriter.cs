namespace FastCgi.FuzzTests.Application;

/// <summary>Writes the answer of a script in the way that it says.</summary>
internal sealed class AnswerWriter(HttpContext context, Script script, IThreads threads)
{
    public async Task WriteAsync()
    {
        var answer = script.Answer;
        switch (script.Writes)
        {
            case Writing.Stream:
                await context.Response.Body.WriteAsync(answer, context.RequestAborted);
                break;
            case Writing.Pieces:
                await WritePiecesAsync(answer);
                break;
            case Writing.Memory:
                WriteMemory(answer.Span);
                break;
            case Writing.StartFirst:
                await context.Response.StartAsync(context.RequestAborted);
                WriteMemory(answer.Span);
                await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
                break;
            case Writing.Several:
                await WriteTwiceAsync(answer);
                break;
            case Writing.Forgotten:
                // Taken now: the context of a request that is over has no response any more.
                var body = context.Response.Body;
                threads.Queue(static write => write.Writer.Forget(write.Body), (Writer: this, Body: body));
                Forget(body);
                break;
            case Writing.Writer:
                await context.Response.BodyWriter.WriteAsync(answer, context.RequestAborted);
                break;
            default:
                WriteMemory(answer.Span);
                await context.Response.CompleteAsync();
                break;
        }
    }

    private async Task WriteTwiceAsync(ReadOnlyMemory<byte> answer)
    {
        try
        {
            await Task.WhenAll(WritePiecesAsync(answer), WriteLaterAsync(answer));
        }
        catch (Exception exception) when (exception is InvalidOperationException or ArgumentOutOfRangeException)
        {
            // The other flow was first, or both wrote more than the length of the answer.
            throw new PlannedException();
        }
    }

    private async void Forget(Stream body)
    {
        try
        {
            await body.WriteAsync(script.Answer);
        }
        catch (Exception exception) when (exception is InvalidOperationException or IOException
            or OperationCanceledException or PlannedException)
        {
            // The request was over first, or the callbacks failed.
        }
    }

    private async Task WriteLaterAsync(ReadOnlyMemory<byte> answer)
    {
        await new Hop(threads);
        WriteMemory(answer.Span);
        await new Hop(threads);
        await context.Response.BodyWriter.FlushAsync();
    }

    private async Task WritePiecesAsync(ReadOnlyMemory<byte> answer)
    {
        var size = Math.Max(1, answer.Length / 3);
        while (!answer.IsEmpty)
        {
            size = Math.Min(size, answer.Length);
            await context.Response.Body.WriteAsync(answer[..size], context.RequestAborted);
            await context.Response.Body.FlushAsync(context.RequestAborted);
            answer = answer[size..];
            if (script.Hops)
            {
                await new Hop(threads);
            }
            else
            {
                threads.MayPreempt();
            }
        }
    }

    private void WriteMemory(ReadOnlySpan<byte> answer)
    {
        var writer = context.Response.BodyWriter;

        // As in the last turn of a copy loop: memory of any size, and nothing to put into it.
        _ = writer.GetMemory(2 * answer.Length);
        while (!answer.IsEmpty)
        {
            var memory = writer.GetMemory(1);
            // Of two flows, the other one may send meanwhile.
            threads.MayPreempt();
            var count = Math.Min(memory.Length, answer.Length);
            answer[..count].CopyTo(memory.Span);
            writer.Advance(count);
            answer = answer[count..];
        }
    }
}
