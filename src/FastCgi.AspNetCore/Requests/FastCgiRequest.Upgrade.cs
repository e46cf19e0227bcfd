using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The upgrade of a connection (RFC 9110, section 7.8): behind a head with status 101 both directions belong to the
/// application, as WebSockets need it. Until then such a request has an empty body.
/// </summary>
internal sealed partial class FastCgiRequest
{
    private UpgradedStream? _upgradedStream;
    private volatile bool _upgraded;

    // 1 while it counts for MaxConcurrentUpgradedConnections.
    private int _countsAsUpgraded;

    public bool AllowsUpgrade => Slot.AllowsUpgrade && Slot.Role == Protocol.FastCgiRole.Responder;

    public bool IsUpgradable => _cgi.IsUpgradable;

    /// <summary>What comes and goes is the application's protocol; it has no length and no limit.</summary>
    public bool IsUpgraded => _upgraded;

    /// <summary>Of an upgraded connection the end of what comes is the first that is seen of a client that left.</summary>
    private bool IsClientGone => IsAborted || (_upgraded && Body.HasEnded);

    /// <summary>The head that says so is the one that is written.</summary>
    private bool IsSwitching => _upgraded && Features.StatusCode == StatusCodes.Status101SwitchingProtocols;

    /// <summary>Sends the head, and gives the application both directions.</summary>
    /// <exception cref="InvalidOperationException">It may not, cannot any more, or there are too many already.</exception>
    /// <exception cref="IOException">The client has left.</exception>
    public async Task<Stream> UpgradeAsync()
    {
        if (!IsUpgradable)
        {
            throw new InvalidOperationException(
                "The connection cannot be upgraded: the request does not ask for it, or its endpoint does not allow it " +
                "(SCGI endpoints do, FastCGI endpoints with AllowUpgrade).");
        }

        if (_upgraded || _started)
        {
            throw new InvalidOperationException(_upgraded
                ? "The connection has been upgraded already."
                : "The connection cannot be upgraded: the response has started.");
        }

        if (!_server.TryOpenUpgraded())
        {
            throw new InvalidOperationException(
                $"The connection cannot be upgraded: {_server.Limits.MaxConcurrentUpgradedConnections} others are " +
                "(MaxConcurrentUpgradedConnections).");
        }

        Volatile.Write(ref _countsAsUpgraded, 1);
        // Before the head leaves: what the client sends next comes right behind it.
        if (!Slot.TryUpgrade())
        {
            StopCounting();
            throw ConnectionLost();
        }

        Features.Upgrade();
        await _writer.FlushAsync(CancellationToken.None).ConfigureAwait(false);
        _responseStream?.Stop(new InvalidOperationException(
            "The connection was upgraded: write to the stream that UpgradeAsync returned."));
        LogUpgraded(Log, ConnectionId, Features.TraceIdentifier);
        return _upgradedStream = new UpgradedStream(
            new RequestBodyStream(new RequestBodyReader(Body, isUpgraded: true), Features), new ResponseBodyStream(_writer, Features));
    }

    /// <summary>Under the connection's gate: the body has one writer at a time.</summary>
    public void TurnToUpgraded()
    {
        _upgraded = true;
        Body.Upgrade();
    }

    /// <summary>
    /// The params are known, and the application is about to begin. In a stop no further connection is upgraded: a client
    /// that has just lost one comes again at once, and nobody would close this one before the time for the stop is over.
    /// </summary>
    private void PrepareForUpgrade()
    {
        _cgi.IsUpgradable = AllowsUpgrade && !_server.ApplicationStopping.IsCancellationRequested && _cgi.AsksForUpgrade;
        if (_cgi.IsUpgradable)
        {
            Body.Declare(0);
        }
    }

    /// <summary>
    /// The application has left; a read that it abandoned ends by an exception. Before the client sees the end, its place
    /// is free: it may come again at once.
    /// </summary>
    private void StopUpgraded()
    {
        StopCounting();
        if (_upgradedStream is not null)
        {
            _upgradedStream.Stop();
            _upgradedStream = null;
        }
    }

    private void StopCounting()
    {
        if (Volatile.Read(ref _countsAsUpgraded) != 0 && Interlocked.Exchange(ref _countsAsUpgraded, 0) != 0)
        {
            _server.CloseUpgraded();
        }
    }
}
