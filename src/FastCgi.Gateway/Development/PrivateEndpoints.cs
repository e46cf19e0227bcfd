using System.Net;
using FastCgi.AspNetCore;
using FastCgi.Protocol;

namespace FastCgi.Gateway.Development;

/// <summary>
/// The endpoints on which the FastCGI server listens for the gateway only: two unix sockets in a directory that only
/// this user can enter, or two free ports of 127.0.0.1 on Windows.
/// </summary>
internal sealed class PrivateEndpoints : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string? _directory = OperatingSystem.IsWindows()
        ? null
        : Directory.CreateTempSubdirectory($"fastcgi-gateway-{Environment.ProcessId}-").FullName;

    /// <summary>First the endpoint for requests, then the one for upgrades.</summary>
    public static int Count => 2;

    public void AddTo(FastCgiServerOptions options)
    {
        Add(options, "fastcgi.sock", static listen => listen.AllowUpgrade = true);
        Add(options, "scgi.sock", static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
    }

    /// <summary>Removes the directory. A second call does nothing.</summary>
    public void Dispose()
    {
        if (Directory.Exists(_directory))
        {
            Directory.Delete(_directory, recursive: true);
        }
    }

    private void Add(FastCgiServerOptions options, string name, Action<FastCgiListenOptions> configure)
    {
        if (_directory is null)
        {
            options.Listen(IPAddress.Loopback, 0, configure);
            return;
        }

        options.ListenUnixSocket(Path.Combine(_directory, name), listen =>
        {
            listen.UnixMode = OwnerOnly;
            configure(listen);
        });
    }
}
