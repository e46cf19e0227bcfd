namespace FastCgi.Benchmarks.Targets;

/// <summary>What a target is started for.</summary>
/// <param name="Directory">For its files; exists, and is thrown away afterwards.</param>
/// <param name="Connections">The most that will be open at a time.</param>
internal sealed record TargetSetup(BackEndAddress Address, string Directory, int Connections)
{
    /// <inheritdoc cref="BackEndAddress.SocketPath"/>
    public string SocketPath => Address.SocketPath;
}
