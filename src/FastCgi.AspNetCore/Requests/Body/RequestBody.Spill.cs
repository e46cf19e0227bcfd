using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// What has no room in the pipe: kept in order, written to a temporary file, and brought back as the application
/// reads. While there is a spill, the one that empties it is the pipe's only writer.
/// </summary>
internal sealed partial class RequestBody
{
    private BodySpill? _spill;

    /// <summary>The spill is being emptied on the thread pool: this object must not serve another request.</summary>
    public bool IsSpillBusy { get; private set; }

    private void Spill(ReadOnlySpan<byte> content)
    {
        if (Received > _request.MaxRequestBodySize)
        {
            Close(TooLarge(_request.MaxRequestBodySize));
            return;
        }

        _spill ??= new BodySpill(_pool);
        _spill.Add(content);
        EmptySpill();
    }

    /// <summary>The failure of a body that is larger than <paramref name="limit"/> bytes.</summary>
    public static BadHttpRequestException TooLarge(long? limit) => new(
        $"The request body is larger than the limit of {limit} bytes (MaxRequestBodySize).",
        StatusCodes.Status413PayloadTooLarge);

    private void EmptySpill()
    {
        if (_spill is not null && !IsSpillBusy)
        {
            // The spill goes along: dropped before the thread pool gets to it, it would be nobody's to dispose of.
            IsSpillBusy = true;
            ThreadPool.UnsafeQueueUserWorkItem(
                static state => _ = state.Body.EmptySpillAsync(state.Spill), (Body: this, Spill: _spill), preferLocal: false);
        }
    }

    private void DropSpill()
    {
        if (_spill is { } spill)
        {
            // Who is at the file sees that it is nobody's any more, and disposes of it then.
            _spill = null;
            if (!IsSpillBusy)
            {
                spill.Dispose();
            }
        }

        Resume(PauseReason.Disk);
    }

    private async Task EmptySpillAsync(BodySpill spill)
    {
        try
        {
            while (TryTakeStep(spill, out BodySpill.Block? block, out bool toFile))
            {
                await StepAsync(spill, block, toFile).ConfigureAwait(false);
            }
        }
        catch (Exception exception)
        {
            // Whatever it is, a reader that waits has to hear of it: nobody else sees the end of this task.
            lock (_lock)
            {
                IsSpillBusy = false;
                if (_spill == spill)
                {
                    Close(new IOException("The request body could not be kept in a temporary file.", exception));
                }
                else
                {
                    spill.Dispose();
                }
            }
        }
    }

    /// <summary>
    /// What to do next: with the pipe full the oldest unwritten block goes to the file; with room in it the file's
    /// content comes back, and when there is none the oldest block goes straight on.
    /// </summary>
    private bool TryTakeStep(BodySpill spill, out BodySpill.Block? block, out bool toFile)
    {
        block = null;
        toFile = false;
        lock (_lock)
        {
            if (_spill != spill)
            {
                IsSpillBusy = false;
                spill.Dispose();
                return false;
            }

            toFile = _isFull;
            if (spill.HasUnwritten && (toFile || !spill.HasFileContent))
            {
                block = spill.TakeOldest();
                return true;
            }

            if (!toFile && spill.HasFileContent)
            {
                return true;
            }

            IsSpillBusy = false;
            if (!toFile)
            {
                // Empty: the connection writes to the pipe again.
                _spill = null;
                spill.Dispose();
                if (_closed)
                {
                    _pipe.Writer.Complete();
                }
            }

            return false;
        }
    }

    private async ValueTask StepAsync(BodySpill spill, BodySpill.Block? block, bool toFile)
    {
        bool fromFile = block is null;
        block ??= spill.RentBlock();
        try
        {
            if (toFile)
            {
                await spill.WriteToFileAsync(block).ConfigureAwait(false);
            }
            else if (fromFile)
            {
                await spill.ReadFromFileAsync(block).ConfigureAwait(false);
            }

            lock (_lock)
            {
                if (_spill == spill)
                {
                    if (!toFile)
                    {
                        WriteToPipe(block.Content.Span);
                    }

                    if (spill.HasCaughtUp)
                    {
                        Resume(PauseReason.Disk);
                    }
                }
            }
        }
        finally
        {
            spill.Recycle(block);
        }
    }
}
