using FastCgi.AspNetCore.Features;
using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// Sends a file as the body, or a part of it: from the page cache straight into the records, without a stream in
/// between, on the thread that the application is on. What has to come from a disk first keeps that thread a while, as
/// applications may.
/// </summary>
internal sealed class FileSender(
    IFileResponse response, ResponsePipeWriter writer, PooledParts parts, RequestFeatures features)
{
    private const int CopySize = 32 * 1024;

    /// <summary>Below, one copy costs less than a record of its own: head, content and the end share a send.</summary>
    private const int SmallestSent = 32 * 1024;

    public async Task SendAsync(string path, long offset, long? count, CancellationToken cancellationToken)
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

        if (response.HandedOver is not null)
        {
            throw response.Completed();
        }

        if (parts.Slot.Connection.HandoverFolders is { } folders)
        {
            var attempt = new HandoverAttempt(response, parts, features, folders);
            if (await attempt.TryAsync(path, offset, remaining, length).ConfigureAwait(false))
            {
                return;
            }
        }

        await response.StartAsync(cancellationToken).ConfigureAwait(false);
        while (remaining > 0 && !response.IsAborted)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (response.WaitForUpload(Math.Min(remaining, CopySize)) is { } held)
            {
                await writer.WaitForUploadAsync(held, cancellationToken).ConfigureAwait(false);
            }

            long done = 0;
            bool isThere = remaining < SmallestSent || writer.TrySendFile(file, offset, remaining, out done);
            bool isCopied = done == 0;
            if (isCopied)
            {
                isThere = TryCopy(file, offset, remaining, out done);
            }

            if (!isThere)
            {
                throw new EndOfStreamException(
                    $"The file '{path}' became shorter while it was sent: some of its last {remaining} bytes are " +
                    $"missing.");
            }

            offset += done;
            remaining -= done;
            if (!isCopied || parts.Slot.Connection.Output.IsFull)
            {
                await writer.WaitForOutputAsync(cancellationToken, all: !isCopied).ConfigureAwait(false);
            }
        }

        await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
    }

    private bool TryCopy(SafeFileHandle file, long offset, long remaining, out long copied)
    {
        Memory<byte> memory = writer.GetMemory((int)Math.Min(remaining, CopySize));
        int read = 0;
        try
        {
            read = RandomAccess.Read(file, memory.Span[..(int)Math.Min(remaining, memory.Length)], offset);
        }
        finally
        {
            if (read == 0)
            {
                response.Cut();
            }
        }

        writer.Advance(read);
        copied = read;
        return read > 0;
    }
}
