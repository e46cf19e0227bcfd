using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Files go from the page cache straight into the records, without a stream in between, on the thread that the application
/// is on. What has to come from a disk first keeps that thread a while, as applications may.
/// </summary>
internal sealed partial class FastCgiRequest
{
    private const int CopySize = 32 * 1024;

    /// <summary>Below, one copy costs less than a record of its own: head, content and the end share a send.</summary>
    private const int SmallestSent = 32 * 1024;

    public async Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using SafeFileHandle file = File.OpenHandle(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        long length = RandomAccess.GetLength(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, length);
        long remaining = count ?? (length - offset);
        ArgumentOutOfRangeException.ThrowIfNegative(remaining, nameof(count));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(remaining, length - offset, nameof(count));

        if (_handedOver is not null)
        {
            throw ResponseCompleted();
        }

        if (_server.HandoverFolders is not null
            && await TryHandOverAsync(path, offset, remaining, length).ConfigureAwait(false))
        {
            return;
        }

        await StartResponseAsync(cancellationToken).ConfigureAwait(false);
        while (remaining > 0 && !IsAborted)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (WaitForBody(Math.Min(remaining, CopySize)) is { } held)
            {
                await _writer.WaitForBodyAsync(held, cancellationToken).ConfigureAwait(false);
            }

            long done = 0;
            bool isThere = remaining < SmallestSent || _writer.TrySendFile(file, offset, remaining, out done);
            bool isCopied = done == 0;
            if (isCopied)
            {
                isThere = TryCopyFile(file, offset, remaining, out done);
            }

            if (!isThere)
            {
                throw new EndOfStreamException(
                    $"The file '{path}' became shorter while it was sent: some of its last {remaining} bytes are missing.");
            }

            offset += done;
            remaining -= done;
            if (!isCopied || Slot.Output.IsFull)
            {
                await _writer.WaitForOutputAsync(cancellationToken, all: !isCopied).ConfigureAwait(false);
            }
        }

        await _writer.FlushAsync(cancellationToken).ConfigureAwait(false);
    }

    private bool TryCopyFile(SafeFileHandle file, long offset, long remaining, out long copied)
    {
        Memory<byte> memory = _writer.GetMemory((int)Math.Min(remaining, CopySize));
        int read = RandomAccess.Read(file, memory.Span[..(int)Math.Min(remaining, memory.Length)], offset);
        _writer.Advance(read);
        copied = read;
        return read > 0;
    }
}
