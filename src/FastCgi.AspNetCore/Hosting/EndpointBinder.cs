using FastCgi.AspNetCore.Hosting.Configuration;
using FastCgi.AspNetCore.Transport.Contexts;
using FastCgi.AspNetCore.Transport.Listening;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Binds all endpoints or none.</summary>
internal sealed class EndpointBinder(
    LaunchContext launch, StartNotices notices, TimeProvider timeProvider, ILogger serverLog, ILogger transportLog)
{
    // Each descriptor has one endpoint at most: one that two had would be closed under the next owner of its number.
    private readonly List<BoundEndpoint> _inheriting = [];

    /// <summary>
    /// The transports that bind endpoints of other kinds than sockets. Called for such an endpoint only: the host
    /// registers Kestrel's transport, and to make it would cost each start.
    /// </summary>
    public Func<IEnumerable<IConnectionListenerFactory>> Factories { get; init; } = static () => [];

    /// <summary>Warns of inherited sockets that none of these endpoints takes; there will be no others.</summary>
    public void WarnOfUntaken(IEnumerable<FastCgiListenOptions> endpoints)
    {
        var untaken = new List<string>();
        foreach (ulong handle in launch.InheritedWithout(endpoints))
        {
            untaken.Add(launch.Describe(handle));
        }

        notices.NotTaken(untaken);
    }

    /// <summary>The listeners, not yet accepting. When one fails, those before it are undone.</summary>
    /// <exception cref="IOException">An address is taken or cannot be used.</exception>
    /// <exception cref="InvalidOperationException">Others can reach one, and no option says that they may.</exception>
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

    /// <summary>Closes endpoints that are not listened on after all.</summary>
    public void Release(List<BoundEndpoint> bound)
    {
        foreach (BoundEndpoint endpoint in bound)
        {
            endpoint.Listener.Dispose();
            _inheriting.Remove(endpoint);
        }
    }

    /// <summary>On what terms a bound socket accepts.</summary>
    /// <exception cref="InvalidOperationException">
    /// Others can reach it, and no option says so; or it was passed with another mode or owner than the options say.
    /// </exception>
    public EndpointTerms NewTerms(FastCgiListenOptions listen, EndpointListener listener)
    {
        EndPoint bound = listener.LocalEndPoint;
        EndpointTerms.RequireMeant(listen, bound, launch);
        if (listener.IsInherited && listen.FileAccessSetting is { } setting
            && !UnixSocketFile.IsAsAsked(bound.ToString()!, Complete(new ListenTarget(bound), listen)))
        {
            throw new InvalidOperationException(
                $"{setting} cannot be set on {FastCgiAddress.Format(bound, listen.Protocol)}: the socket was passed " +
                "to this process, and its file has another mode, owner or group. Set SocketMode, SocketUser and " +
                "SocketGroup of the .socket unit to the same, or remove UnixMode, UnixOwner and UnixGroup.");
        }

        return new EndpointTerms(listen, bound, launch, timeProvider, serverLog);
    }

    /// <summary>Gives the file of a unix socket that listens the mode and the owner of the options.</summary>
    /// <returns>Undoes it.</returns>
    /// <exception cref="IOException">They cannot be set, and are as before.</exception>
    public static Action ChangeAccess(EndpointListener listener, FastCgiListenOptions listen) =>
        listener.ChangeAccess(Complete(new ListenTarget(listener.LocalEndPoint), listen));

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
        // Before the bind, so that the port is never open; an inherited socket tells only now where it listens.
        EndpointTerms.RequireMeant(listen, endPoint, launch);
        ListenTarget target = Target(listen, endPoint);
        ulong? inherited = target.EndPoint is null ? target.Handle : null;
        if (inherited is not null && _inheriting.Exists(other => other.InheritedHandle == inherited))
        {
            throw new IOException(
                $"Failed to listen on {listen}: another endpoint has its inherited socket, descriptor {inherited}. " +
                "Name each socket once: in UseFastCgi, in FastCgi:Endpoints, or as FastCgi:Status:Endpoint.");
        }

        EndpointListener? listener = null;
        try
        {
            listener = target.EndPoint is null or IPEndPoint or UnixDomainSocketEndPoint
                ? SocketListener.Bind(target, transportLog, timeProvider)
                : ContextListener.Bind(target.EndPoint, Factories(), transportLog, timeProvider, cancellationToken);
            var endpoint = new BoundEndpoint(listener, NewTerms(listen, listener), inherited);
            if (inherited is not null)
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

    /// <summary>Many a machine has only one of the two loopback addresses, none has neither.</summary>
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

            notices.Unavailable(listen.ToString(), (reason.InnerException ?? reason).Message);
        }
    }

    private static bool IsUnavailable(Exception exception) =>
        (exception as SocketException ?? exception.InnerException as SocketException)?.SocketErrorCode
            is SocketError.AddressNotAvailable or SocketError.AddressFamilyNotSupported
            or SocketError.ProtocolFamilyNotSupported;

    /// <summary>An address that systemd listens on already is taken from systemd.</summary>
    private ListenTarget Target(FastCgiListenOptions listen, EndPoint? endPoint) =>
        Complete(
            launch.FindInherited(listen, endPoint) is { } handle
                ? new ListenTarget(handle)
                : new ListenTarget(endPoint!),
            listen);

    private static ListenTarget Complete(ListenTarget target, FastCgiListenOptions listen) => target with
    {
        Backlog = listen.Backlog,
        UnixGroup = listen.UnixGroup,
        UnixMode = listen.UnixMode,
        UnixOwner = listen.UnixOwner,
    };
}
