using System.Buffers;

namespace FastCgi.Gateway.Forwarding;

/// <summary>Passes bytes in both directions between two streams until one of them ends.</summary>
internal static class UpgradeTunnel
{
    private const int BufferSize = 16 * 1024;

    public static async Task RunAsync(Stream client, Stream application, CancellationToken aborted)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(aborted);
        Task toApplication = CopyAsync(client, application, stop.Token);
        Task toClient = CopyAsync(application, client, stop.Token);
        await Task.WhenAny(toApplication, toClient).ConfigureAwait(false);
        await stop.CancelAsync().ConfigureAwait(false);

        // The other protocol's own messages tell how it ended. Here all ends are equal.
        await toApplication.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await toClient.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private static async Task CopyAsync(Stream from, Stream to, CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            while (await from.ReadAsync(buffer, cancellationToken).ConfigureAwait(false) is > 0 and var count)
            {
                await to.WriteAsync(buffer.AsMemory(0, count), cancellationToken).ConfigureAwait(false);
                await to.FlushAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
