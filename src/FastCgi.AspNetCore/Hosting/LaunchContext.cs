using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>The environment variables and descriptors that the process inherited from its starter.</summary>
/// <param name="Variable">Reads an environment variable.</param>
/// <param name="ReadAddress">Reads the address of a descriptor; null if it is not a listening socket.</param>
internal sealed record LaunchContext(Func<string, string?> Variable, Func<ulong, EndPoint?> ReadAddress)
{
    /// <summary>The descriptor of the socket if a web server started the program (FastCGI 1.0, section 2.2).</summary>
    private const ulong FastCgiDescriptor = 0;

    public static LaunchContext Current { get; } =
        new(Environment.GetEnvironmentVariable, InheritedSockets.ReadAddress);

    /// <summary>The sockets that systemd passed, otherwise descriptor 0 if it listens (spawn-fcgi).</summary>
    public ulong[] InheritedListeners()
    {
        ulong[] passed = InheritedSockets.FromSystemd(
            Variable("LISTEN_PID"), Variable("LISTEN_FDS"), Environment.ProcessId);
        return passed.Length == 0 && ReadAddress(FastCgiDescriptor) is not null
            ? [FastCgiDescriptor]
            : passed;
    }

    /// <summary>The inherited sockets that none of these endpoints uses.</summary>
    public IEnumerable<ulong> InheritedWithout(IEnumerable<FastCgiListenOptions> endpoints) =>
        InheritedListeners().Except(
            endpoints.Select(listen => FindInherited(listen, listen.EndPoint)).OfType<ulong>());

    /// <summary>
    /// The inherited socket for an endpoint, by descriptor or by address as in PHP-FPM. Null if the endpoint has an
    /// address to bind.
    /// </summary>
    public ulong? FindInherited(FastCgiListenOptions listen, EndPoint? endPoint) => endPoint is null
        ? listen.FileHandle
        : InheritedListeners().Cast<ulong?>().FirstOrDefault(handle => endPoint.Equals(ReadAddress(handle!.Value)));

    /// <summary>The address of an inherited socket, as an endpoint would name it.</summary>
    public string Describe(ulong handle) => ReadAddress(handle) is { } endPoint
        ? new ListenTarget(endPoint).ToString()
        : $"fd:{handle}";
}
