using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

/// <summary>A bound endpoint and its accept loop, which no failed accept ends.</summary>
internal sealed partial class EndpointListener : IDisposable
{
    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(1);

    private readonly Socket _socket;
    private readonly UnixSocketFile? _file;
    private readonly string _address;
    private readonly TimeProvider _timeProvider;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private Task _acceptLoop = Task.CompletedTask;

    private EndpointListener(
        Socket socket, UnixSocketFile? file, string address, TimeProvider timeProvider, ILogger logger)
    {
        _socket = socket;
        _file = file;
        _address = address;
        _timeProvider = timeProvider;
        _logger = logger;
        LocalEndPoint = socket.LocalEndPoint!;
    }

    /// <summary>What is really bound: the port that the system chose, the address of an inherited socket.</summary>
    public EndPoint LocalEndPoint { get; }

    /// <exception cref="IOException">The address is taken or cannot be used; the message says why.</exception>
    public static EndpointListener Bind(ListenTarget target, TimeProvider timeProvider, ILogger logger)
    {
        (Socket socket, UnixSocketFile? file) = ListenSocket.Open(target);
        return new EndpointListener(socket, file, target.Address, timeProvider, logger);
    }

    /// <summary>Gives every accepted socket to <paramref name="onAccepted"/>, without the caller's execution context.</summary>
    public void Start(Action<Socket> onAccepted)
    {
        using (ExecutionContext.SuppressFlow())
        {
            _acceptLoop = Task.Run(() => AcceptAsync(onAccepted));
        }
    }

    /// <summary>Nothing is accepted any more once this has completed.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _socket.Dispose();
        _file?.DeleteIfOurs();
        await _acceptLoop.ConfigureAwait(false);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _socket.Dispose();
        _file?.DeleteIfOurs();
        _stop.Dispose();
    }

    private async Task AcceptAsync(Action<Socket> onAccepted)
    {
        TimeSpan pause = s_firstPause;
        bool failing = false;
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                Socket accepted = await _socket.AcceptAsync(_stop.Token).ConfigureAwait(false);
                if (failing)
                {
                    failing = false;
                    pause = s_firstPause;
                    LogRecovered(_logger, _address);
                }

                if (accepted.AddressFamily != AddressFamily.Unix)
                {
                    accepted.NoDelay = true;
                }

                onAccepted(accepted);
            }
            catch (Exception) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (SocketException exception) when (exception.SocketErrorCode is SocketError.ConnectionAborted
                or SocketError.ConnectionReset)
            {
                // The peer left the queue before its turn came.
            }
            catch (Exception exception)
            {
                if (!failing)
                {
                    failing = true;
                    LogAcceptFailed(_logger, exception, _address);
                }

                // Out of descriptors or memory: what is queued waits, and closing connections make room.
                await PauseAsync(pause).ConfigureAwait(false);
                pause = pause * 2 < s_longestPause ? pause * 2 : s_longestPause;
            }
        }
    }

    private async Task PauseAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, _timeProvider, _stop.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The loop ends by itself.
        }
    }

    [LoggerMessage(LogEvents.AcceptFailed, LogLevel.Warning,
        "No connection can be accepted on {Address} at the moment; connections wait, and the server goes on trying. " +
        "If the process is out of descriptors, raise its limit (systemd: LimitNOFILE=).",
        EventName = nameof(LogEvents.AcceptFailed))]
    private static partial void LogAcceptFailed(ILogger logger, Exception exception, string address);

    [LoggerMessage(LogEvents.AcceptRecovered, LogLevel.Information,
        "Connections are accepted on {Address} again.", EventName = nameof(LogEvents.AcceptRecovered))]
    private static partial void LogRecovered(ILogger logger, string address);
}
