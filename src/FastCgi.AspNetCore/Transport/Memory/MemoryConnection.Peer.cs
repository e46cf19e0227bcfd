namespace FastCgi.AspNetCore.Transport.Memory;

internal sealed partial class MemoryConnection
{
    /// <summary>The web server's end of a connection in memory. One reader and one writer at a time.</summary>
    private sealed class PeerStream(MemoryConnection connection, MemoryQueue input, MemoryQueue output) : Stream
    {
        private volatile bool _isDisposed;

        public override bool CanRead => true;

        public override bool CanWrite => true;

        public override bool CanSeek => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            while (true)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                Task change = input.Change;
                bool isEnded = input.IsEnded;
                int count = input.Read(buffer.Span);
                if (count > 0)
                {
                    connection.OnRoom();
                    return count;
                }

                if (isEnded || buffer.IsEmpty)
                {
                    return 0;
                }

                await change.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }

        public override async ValueTask WriteAsync(
            ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            cancellationToken.ThrowIfCancellationRequested();
            while (!buffer.IsEmpty)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                Task change = output.Change;
                ThrowIfClosed();
                int count = output.Write(buffer.Span);
                if (count == 0)
                {
                    await change.WaitAsync(cancellationToken).ConfigureAwait(false);
                    continue;
                }

                buffer = buffer[count..];
                connection.OnReadable();
            }
        }

        /// <summary>Waits until the server has received everything, or has closed the connection.</summary>
        public override async Task FlushAsync(CancellationToken cancellationToken)
        {
            while (true)
            {
                Task change = output.Change;
                if (output.IsEmpty || output.IsEnded)
                {
                    return;
                }

                await change.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }

        public override Task<int> ReadAsync(
            byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override Task WriteAsync(
            byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override int Read(byte[] buffer, int offset, int count) =>
            ReadAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();

        public override void Write(byte[] buffer, int offset, int count) =>
            WriteAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();

        public override void Flush() => FlushAsync(CancellationToken.None).GetAwaiter().GetResult();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        /// <summary>Closes the peer's end. Its written bytes still reach the server; the server's are lost.</summary>
        protected override void Dispose(bool disposing)
        {
            if (disposing && !_isDisposed)
            {
                _isDisposed = true;
                output.End();
                input.End(dropsRest: true);
                connection.OnPeerClosed();
            }

            base.Dispose(disposing);
        }

        private void ThrowIfClosed()
        {
            if (output.IsEnded)
            {
                throw new IOException("The server has closed the connection.");
            }
        }
    }
}
