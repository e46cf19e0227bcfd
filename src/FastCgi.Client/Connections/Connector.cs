using System.Net.Sockets;

namespace FastCgi.Client.Connections;

/// <summary>Opens streams to the application. Failures explain the cause.</summary>
internal sealed class Connector(
    ConnectionTarget target,
    Func<FastCgiConnectContext, CancellationToken, ValueTask<Stream>>? callback,
    TimeSpan timeout,
    TimeProvider clock) : IConnector
{
    /// <summary>Pause if the queue of a unix socket is full: connecting then fails at once.</summary>
    private static readonly TimeSpan s_queueFull = TimeSpan.FromMilliseconds(10);

    /// <summary>The endpoint, for messages.</summary>
    public string Name => target.Name;

    public async ValueTask<PooledConnection> ConnectAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Stream stream = await OpenAsync(request, cancellationToken).ConfigureAwait(false);
        return new PooledConnection(stream, requestId: 1, clock.GetTimestamp());
    }

    public void Dispose()
    {
    }

    private async ValueTask<Stream> OpenAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(timeout, clock);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            return callback is null
                ? await ConnectSocketAsync(target.EndPoint!, linked.Token).ConfigureAwait(false)
                : await callback(new FastCgiConnectContext(target.Name, request), linked.Token).ConfigureAwait(false)
                    ?? throw new InvalidOperationException("The ConnectCallback returned no stream.");
        }
        catch (Exception exception) when (cancellationToken.IsCancellationRequested)
        {
            // A callback may throw any exception when its token is cancelled.
            throw new TaskCanceledException(exception.Message, exception, cancellationToken);
        }
        catch (Exception exception) when (timed.IsCancellationRequested)
        {
            throw new FastCgiException(
                FastCgiError.ConnectTimeout,
                $"No connection to {target.Name} within {timeout.TotalSeconds} s (ConnectTimeout). Check that the " +
                "application runs and accepts connections.",
                exception);
        }
        catch (Exception exception)
        {
            // Includes the callback's own cancellations, which HttpClient would take for its timeout.
            throw new FastCgiException(FastCgiError.ConnectFailed, Message(exception), exception);
        }
    }

    private async Task<Stream> ConnectSocketAsync(EndPoint endPoint, CancellationToken cancellationToken)
    {
        while (true)
        {
            Socket socket = endPoint is UnixDomainSocketEndPoint
                ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(endPoint, cancellationToken).ConfigureAwait(false);
                return new NetworkStream(socket, ownsSocket: true);
            }
            catch (SocketException exception)
                when (exception.SocketErrorCode == SocketError.WouldBlock && endPoint is UnixDomainSocketEndPoint)
            {
                socket.Dispose();
            }
            catch
            {
                socket.Dispose();
                throw;
            }

            await Task.Delay(s_queueFull, clock, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The system's message. .NET reports a missing socket file as an unavailable address.</summary>
    private string Reason(Exception exception) =>
        target.EndPoint is UnixDomainSocketEndPoint
        && exception is SocketException { SocketErrorCode: SocketError.AddressNotAvailable }
            ? "No such file or directory"
            : exception.Message.TrimEnd('.');

    private string Message(Exception exception) =>
        $"No connection to {target.Name}: {Reason(exception)}. " +
        (exception as SocketException)?.SocketErrorCode switch
        {
            SocketError.ConnectionRefused => "Nothing listens there. Start the application, or correct the endpoint.",
            SocketError.AddressNotAvailable when target.EndPoint is UnixDomainSocketEndPoint =>
                "There is no such socket file. Start the application, or correct the path.",
            SocketError.AddressNotAvailable =>
                "This machine has no local address or port for it. Keep connections, or correct the endpoint.",
            SocketError.AccessDenied when target.EndPoint is not UnixDomainSocketEndPoint =>
                "This machine does not allow it. Look for a rule of its firewall, or correct the endpoint.",
            SocketError.AccessDenied =>
                $"The user {Environment.UserName} may not write to the socket. Give its group or mode access.",
            SocketError.HostNotFound or SocketError.NoData or SocketError.TryAgain => "Correct the host name.",
            _ => "Check that the application runs and that the endpoint is right.",
        };
}
