using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Contexts;
using FastCgi.AspNetCore.Transport.Listening;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Binds all endpoints or none.</summary>
internal sealed class EndpointBinder(
    LaunchContext launch, ServerNotices notices, TimeProvider timeProvider, ILogger transportLog)
{
    // Each descriptor has at most one endpoint. With two, the second close would hit the next owner of the number.
    private readonly List<BoundEndpoint> _inheriting = [];

    /// <summary>
    /// The transports for endpoints other than sockets. Called only for such an endpoint, because the host registers
    /// Kestrel's transport, and creating that would slow down each start.
    /// </summary>
    public Func<IEnumerable<IConnectionListenerFactory>> Factories { get; init; } = static () => [];

    /// <summary>Creates the listeners, not yet accepting. If one fails, those before it are closed.</summary>
    /// <exception cref="IOException">An address is taken or cannot be used.</exception>
    /// <exception cref="InvalidOperationException">An endpoint is open to others without an option.</exception>
    /// <exception cref="OperationCanceledException">A transport of the application took too long.</exception>
    public List<BoundEndpoint> Bind(
        IReadOnlyList<FastCgiListenOptions> listenOptions,
        IReadOnlyList<BoundEndpoint> present,
        CancellationToken cancellationToken)
    {
        var bound = new List<BoundEndpoint>();
        var missing = new List<(FastCgiListenOptions Listen, Exception Reason)>();
        try
        {
            foreach (FastCgiListenOptions listen in listenOptions)
            {
                try
                {
                    bound.Add(BindWithFallback(listen, cancellationToken));
                }
                catch (Exception exception) when (listen.IsHalfOfLocalhost && IsUnavailable(exception))
                {
                    missing.Add((listen, exception));
                }
            }

            RequireOtherHalf(missing, [.. present, .. bound]);
            return bound;
        }
        catch
        {
            Release(bound);
            throw;
        }
    }

    /// <summary>Closes endpoints that are not used after all.</summary>
    public void Release(List<BoundEndpoint> bound)
    {
        foreach (BoundEndpoint endpoint in bound)
        {
            endpoint.Listener.Dispose();
            _inheriting.Remove(endpoint);
        }
    }

    /// <summary>Creates the terms on which a bound socket accepts.</summary>
    /// <exception cref="InvalidOperationException">
    /// The socket is open to others without an option for that, or it was passed with another mode or owner.
    /// </exception>
    public EndpointTerms NewTerms(FastCgiListenOptions listen, EndpointListener listener)
    {
        EndPoint bound = listener.LocalEndPoint;
        EndpointTerms.RequireMeant(listen, bound, launch);
        if (listener.IsInherited && listen.FileAccessSetting is { } setting
            && !UnixSocketFile.IsAsAsked(bound.ToString()!, listen.Access))
        {
            throw new InvalidOperationException(
                $"{setting} cannot be set on {FastCgiAddress.Format(bound, listen.Protocol)}: the socket was passed " +
                "to this process, and its file has another mode, owner or group. Set SocketMode, SocketUser and " +
                "SocketGroup of the .socket unit to the same, or remove UnixMode, UnixOwner and UnixGroup.");
        }

        return new EndpointTerms(listen, bound, launch, timeProvider, notices);
    }

    private BoundEndpoint BindWithFallback(FastCgiListenOptions listen, CancellationToken cancellationToken)
    {
        try
        {
            return Bind(listen, listen.EndPoint, cancellationToken);
        }
        catch (Exception exception) when (listen.IsAnyIP && IsUnavailable(exception))
        {
            return Bind(listen, new IPEndPoint(IPAddress.Any, ((IPEndPoint)listen.EndPoint!).Port), cancellationToken);
        }
    }

    private BoundEndpoint Bind(FastCgiListenOptions listen, EndPoint? endPoint, CancellationToken cancellationToken)
    {
        // Checked before the bind, so that the port is never open. An inherited socket shows its address only now.
        EndpointTerms.RequireMeant(listen, endPoint, launch);

        // An address on which systemd already listens is taken over from systemd.
        ListenTarget target = launch.FindInherited(listen, endPoint) is { } handle
            ? new ListenTarget(handle)
            : new ListenTarget(endPoint!) { Backlog = listen.Backlog, Access = listen.Access };
        if (target.Handle is not null
            && _inheriting.Exists(other => other.Listener.InheritedHandle == target.Handle))
        {
            throw new IOException(
                $"Failed to listen on {listen}: another endpoint has its inherited socket, descriptor " +
                $"{target.Handle}. Name each socket once: in UseFastCgi, in FastCgi:Endpoints, or as " +
                "FastCgi:Status:Endpoint.");
        }

        EndpointListener? listener = null;
        try
        {
            listener = target.EndPoint is null or IPEndPoint or UnixDomainSocketEndPoint
                ? SocketListener.Bind(target, transportLog, timeProvider)
                : ContextListener.Bind(target.EndPoint, Factories(), transportLog, timeProvider, cancellationToken);
            var endpoint = new BoundEndpoint(listener, NewTerms(listen, listener));
            if (listener.IsInherited)
            {
                _inheriting.Add(endpoint);
            }

            return endpoint;
        }
        catch
        {
            listener?.Dispose();
            throw;
        }
    }

    /// <summary>Many machines have only one of the two loopback addresses, but none has neither.</summary>
    private void RequireOtherHalf(
        List<(FastCgiListenOptions Listen, Exception Reason)> missing, List<BoundEndpoint> bound)
    {
        foreach ((FastCgiListenOptions listen, Exception reason) in missing)
        {
            int port = ((IPEndPoint)listen.EndPoint!).Port;
            if (!bound.Exists(other => other.Listener.LocalEndPoint is IPEndPoint ip && ip.Port == port))
            {
                throw new IOException(
                    $"Failed to bind to localhost, port {port}: no loopback address can be used.", reason);
            }

            notices.AddressUnavailable(listen.ToString(), (reason.InnerException ?? reason).Message);
        }
    }

    private static bool IsUnavailable(Exception exception) =>
        (exception as SocketException ?? exception.InnerException as SocketException)?.SocketErrorCode
            is SocketError.AddressNotAvailable or SocketError.AddressFamilyNotSupported
            or SocketError.ProtocolFamilyNotSupported;
}
