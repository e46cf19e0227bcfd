using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Files go from the page cache straight into the records, without a stream in between.</summary>
internal sealed partial class FastCgiRequest
{
    private const int FileReadSize = 32 * 1024;

    public async Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using SafeFileHandle file = File.OpenHandle(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.Asynchronous);
        long length = RandomAccess.GetLength(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, length);
        long remaining = count ?? (length - offset);
        ArgumentOutOfRangeException.ThrowIfNegative(remaining, nameof(count));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(remaining, length - offset, nameof(count));

        await StartResponseAsync(cancellationToken).ConfigureAwait(false);
        while (remaining > 0 && !IsAborted)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (WaitForBody(Math.Min(remaining, FileReadSize)) is { } held)
            {
                await _writer.WaitForBodyAsync(held, cancellationToken).ConfigureAwait(false);
            }

            Memory<byte> memory = _writer.GetMemory((int)Math.Min(remaining, FileReadSize));
            memory = memory[..(int)Math.Min(remaining, memory.Length)];
            int read = await RandomAccess.ReadAsync(file, memory, offset, cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                throw new EndOfStreamException($"The file '{path}' became shorter while it was sent: {remaining} bytes are missing.");
            }

            _writer.Advance(read);
            offset += read;
            remaining -= read;
            if (Connection.IsOutputFull)
            {
                await _writer.WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
            }
        }

        await _writer.FlushAsync(cancellationToken).ConfigureAwait(false);
    }
}
