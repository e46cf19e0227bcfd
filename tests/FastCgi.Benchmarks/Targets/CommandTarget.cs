namespace FastCgi.Benchmarks.Targets;

/// <summary>A back end that the user names: <c>name=command with {socket}</c>.</summary>
internal sealed class CommandTarget(string name, string command, TargetProtocol protocol) : Target(name)
{
    private const string SocketPlaceholder = "{socket}";

    public override TargetProtocol Protocol => protocol;

    /// <summary>Null when it is not written so.</summary>
    public static CommandTarget? TryParse(string text, TargetProtocol protocol) =>
        text.Split('=', 2) is [{ Length: > 0 } name, var command]
        && command.Contains(SocketPlaceholder, StringComparison.Ordinal)
            ? new CommandTarget(name, command, protocol)
            : null;

    public override Task<string?> PrepareAsync()
    {
        Description = command;
        return Task.FromResult<string?>(null);
    }

    /// <summary>The shell makes room for the command: the process that we started is the one that serves.</summary>
    public override ProcessCommand Command(TargetSetup setup) => new(
        "/bin/sh", "-c", $"exec {command.Replace(SocketPlaceholder, setup.SocketPath, StringComparison.Ordinal)}");
}
