using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Makes a server that runs listen on what its options name now: on all of it, or everything stays.</summary>
internal sealed partial class EndpointReload(
    EndpointSet endpoints,
    EndpointBinder binder,
    Func<FastCgiServerOptions, IReadOnlyList<FastCgiListenOptions>> choose,
    ServerAddresses addresses,
    ILogger logger)
{
    /// <summary>An accept callback may run code of the application: the reload waits for it no longer.</summary>
    private static readonly TimeSpan s_endTime = TimeSpan.FromSeconds(1);

    /// <exception cref="IOException">An address is taken, or a mode or an owner cannot be set.</exception>
    /// <exception cref="InvalidOperationException">An endpoint is open to others by mistake.</exception>
    public void Apply(FastCgiServerOptions options)
    {
        List<BoundEndpoint> left = [.. endpoints.Current];
        var kept = new List<(BoundEndpoint Endpoint, EndpointTerms Terms)>();
        var missing = new List<FastCgiListenOptions>();
        foreach (FastCgiListenOptions wanted in choose(options))
        {
            RequireValidClients(wanted);
            if (left.Find(other => other.Serves(wanted)) is { } present)
            {
                left.Remove(present);
                kept.Add((present, binder.NewTerms(wanted, present.Listener)));
            }
            else
            {
                missing.Add(wanted);
            }
        }

        // Its connections would wait in it for ever.
        List<BoundEndpoint> passed = left.FindAll(static endpoint => endpoint.IsInherited);
        List<BoundEndpoint> added = binder.Bind(missing, [.. kept.Select(static pair => pair.Endpoint)]);
        try
        {
            ChangeAccess(kept);
        }
        catch
        {
            binder.Release(added);
            throw;
        }

        // From here on nothing fails.
        kept.ForEach(pair => endpoints.Change(pair.Endpoint, pair.Terms));
        Task ended = endpoints.ChangeAsync([.. kept.Select(static pair => pair.Endpoint), .. passed], added);
        addresses.Publish(endpoints.Current.Select(static endpoint => endpoint.Address));
        Tell(passed, added, left.Except(passed));
        _ = ended.Wait(s_endTime);
    }

    /// <summary>A server that starts takes a list that admits no client; this one has a list that works.</summary>
    private static void RequireValidClients(FastCgiListenOptions wanted)
    {
        if (ClientAllowList.Parse(wanted.AllowedClients).InvalidEntry is { } entry)
        {
            throw new InvalidOperationException(
                $"'{entry}' in AllowedClients of {wanted} is neither an address nor a CIDR range.");
        }
    }

    private static void ChangeAccess(List<(BoundEndpoint Endpoint, EndpointTerms Terms)> kept)
    {
        var undo = new Stack<Action>();
        try
        {
            foreach ((BoundEndpoint endpoint, EndpointTerms terms) in kept)
            {
                if (!terms.HasAccessOf(endpoint.Terms))
                {
                    undo.Push(EndpointBinder.ChangeAccess(endpoint.Listener, terms.Options));
                }
            }
        }
        catch
        {
            foreach (Action step in undo)
            {
                step();
            }

            throw;
        }
    }

    private void Tell(List<BoundEndpoint> passed, List<BoundEndpoint> added, IEnumerable<BoundEndpoint> removed)
    {
        string addedText = Describe(added);
        string removedText = Describe(removed);
        if (addedText.Length + removedText.Length > 0)
        {
            LogChanged(logger, Describe(endpoints.Current), addedText, removedText);
        }

        if (passed.Count > 0)
        {
            LogPassed(logger, Describe(passed));
        }
    }

    private static string Describe(IEnumerable<BoundEndpoint> endpoints) =>
        string.Join(", ", endpoints.Select(static endpoint => endpoint.Address));

    [LoggerMessage(LogEvents.EndpointsChanged, LogLevel.Information,
        "The server listens on {Addresses}. Added: {Added}. Removed: {Removed}.",
        EventName = nameof(LogEvents.EndpointsChanged))]
    private static partial void LogChanged(ILogger logger, string addresses, string added, string removed);

    [LoggerMessage(LogEvents.InheritedEndpointKept, LogLevel.Warning,
        "The configuration does not name {Addresses}, but the process has inherited these sockets: the server " +
        "listens on them until it restarts. If systemd passed them, disable the .socket unit.",
        EventName = nameof(LogEvents.InheritedEndpointKept))]
    private static partial void LogPassed(ILogger logger, string addresses);
}
