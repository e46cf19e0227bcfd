using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Hosting;
using FastCgi.Testing.Connections;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.Testing.Hosting;

/// <summary>
/// The address of one server: a unix socket in its own directory, a free port of 127.0.0.1, or memory.
/// </summary>
internal sealed class PrivateEndpoint : IDisposable
{
    private const string MemoryAddress = "memory";

    /// <summary>The maximum path of a unix socket on every system, without its NUL (macOS).</summary>
    private const int MaxSocketPath = 103;

    private readonly Lock _lock = new();
    private string? _directory;
    private EndPoint? _endPoint;
    private FastCgiServer? _memory;

    private PrivateEndpoint(string? directory, string address) =>
        (_directory, Address) = (directory, address);

    /// <summary>The endpoint to listen on and, after <see cref="OnBound"/>, to connect to.</summary>
    public string Address { get; private set; }

    public static PrivateEndpoint Create(FastCgiTestEndpoint kind)
    {
        if (kind == FastCgiTestEndpoint.Memory)
        {
            return new PrivateEndpoint(directory: null, MemoryAddress);
        }

        if (kind == FastCgiTestEndpoint.Tcp || (kind == FastCgiTestEndpoint.Default && OperatingSystem.IsWindows()))
        {
            return Tcp();
        }

        // Only this user can open it.
        string directory = Directory.CreateTempSubdirectory("fcgi-").FullName;
        string socket = Path.Combine(directory, "s");
        if (kind == FastCgiTestEndpoint.Default && System.Text.Encoding.UTF8.GetByteCount(socket) > MaxSocketPath)
        {
            Directory.Delete(directory);
            return Tcp();
        }

        return new PrivateEndpoint(directory, "fastcgi://unix:" + socket)
        {
            _endPoint = new UnixDomainSocketEndPoint(socket),
        };
    }

    /// <summary>Makes the server listen only here.</summary>
    public void Announce(FastCgiServer server)
    {
        IServerAddressesFeature addresses = server.Features.GetRequiredFeature<IServerAddressesFeature>();
        addresses.Addresses.Clear();
        if (Address == MemoryAddress)
        {
            _memory = server;
            _memory.IsExclusive = true;
            return;
        }

        addresses.Addresses.Add(Address);
        addresses.PreferHostingUrls = true;
    }

    /// <summary>Called when the server has bound, and the port that the system has chosen is known.</summary>
    public void OnBound(IFeatureCollection features)
    {
        if (_memory is null)
        {
            Address = features.GetRequiredFeature<IServerAddressesFeature>().Addresses.Single();
            _endPoint ??= IPEndPoint.Parse(new Uri(Address).Authority);
        }
    }

    public async Task<IConnectionEnd> ConnectAsync(CancellationToken cancellationToken) => _memory is { } memory
        ? new MemoryEnd(memory.Connect())
        : new SocketEnd(await ConnectSocketAsync(cancellationToken).ConfigureAwait(false));

    public void Dispose()
    {
        lock (_lock)
        {
            if (_directory is not null)
            {
                Directory.Delete(_directory, recursive: true);
                _directory = null;
            }
        }
    }

    private static PrivateEndpoint Tcp() => new(directory: null, "fastcgi://127.0.0.1:0");

    private async Task<Socket> ConnectSocketAsync(CancellationToken cancellationToken)
    {
        bool isUnix = _endPoint is UnixDomainSocketEndPoint;
        var socket = new Socket(
            _endPoint!.AddressFamily, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
        try
        {
            if (!isUnix)
            {
                socket.NoDelay = true;
            }

            await socket.ConnectAsync(_endPoint, cancellationToken).ConfigureAwait(false);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
