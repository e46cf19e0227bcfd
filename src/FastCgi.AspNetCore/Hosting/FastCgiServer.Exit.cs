using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Operations.Exit;

namespace FastCgi.AspNetCore.Hosting;

// Asks the exit policy once a second, and asks the host to stop when the policy says so. The stop does not accept
// waiting connections: the owner of the listening socket starts the next process for them. The socket of the status
// page does not count, because it returns with the next process.
internal sealed partial class FastCgiServer
{
    private bool _hasExited;
    private bool _hasWarnedOfExit;

    /// <summary>A listener that ends with this process; null if there is none.</summary>
    private string? OwnListener => KestrelListens ? "Kestrel" : _endpoints.OwnAddress;

    /// <summary>Starts the exit policy, if asked for. A server in memory never exits: no process follows it.</summary>
    private void StartExit(ConnectionSet connections)
    {
        if (IsExclusive || _options is { ExitWhenIdleFor: null, ExitAfterRequests: null, ExitAboveMemory: null })
        {
            return;
        }

        if (_stopHost is null)
        {
            _notices.ExitNotPossible(OwnListener);
            return;
        }

        // The jitter keeps processes that were started together from ending together.
        var policy = new ExitPolicy(
            _options.ExitWhenIdleFor, _options.ExitAfterRequests, _options.ExitAboveMemory, Random.Shared.NextDouble());
        long started = _timeProvider.GetTimestamp();
        _ = IsExitPossible();
        connections.Server.OnTick += () => ExitIfDue(policy, connections, _timeProvider.GetElapsedTime(started));
        connections.Server.TicksWhenIdle = true;
    }

    private void ExitIfDue(ExitPolicy policy, ConnectionSet connections, TimeSpan age)
    {
        long open = connections.Count + connections.Server.OpenRequests;
        var figures = new ExitFigures(open, connections.BegunRequests, Environment.WorkingSet);
        if (!_hasExited && IsExitPossible() && policy.Judge(age, figures) is { } reason)
        {
            _hasExited = true;
            _notices.Exit(reason, figures.Requests, figures.Memory / (1024 * 1024));
            _stopHost!();
        }
    }

    /// <summary>True if all sockets outlive the process. A reload may have added one that does not.</summary>
    private bool IsExitPossible()
    {
        if (OwnListener is not { } own)
        {
            return true;
        }

        if (!_hasWarnedOfExit)
        {
            _hasWarnedOfExit = true;
            _notices.ExitNotPossible(own);
        }

        return false;
    }
}
