using FastCgi.AspNetCore.Transport.Listening;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore;

/// <summary>One endpoint that the server listens on. Takes effect at the start of the server and at a reload.</summary>
public sealed class FastCgiListenOptions
{
    private const int AllPermissions = 0b111_111_111;

    private bool? _allowUpgrade;

    internal FastCgiListenOptions(EndPoint endPoint) => EndPoint = endPoint;

    internal FastCgiListenOptions(ulong handle) => FileHandle = handle;

    /// <summary>The requested address; null for an inherited descriptor.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The path of a unix socket; null for another endpoint.</summary>
    public string? SocketPath => (EndPoint as UnixDomainSocketEndPoint)?.ToString();

    /// <summary>The descriptor of an inherited listening socket; null for another endpoint.</summary>
    public ulong? FileHandle { get; }

    /// <summary>
    /// Mode of a unix socket's file, set before anyone can connect. Default null = 0660, independent of the umask, for
    /// a socket that the server creates. The web server's user needs write permission, so give the socket its group:
    /// see <see cref="UnixGroup"/>. In the configuration a mode is octal (<c>"0660"</c>) or a list of names
    /// (<c>"UserRead, UserWrite, GroupRead, GroupWrite"</c>). With a mode, the server does not start on an endpoint
    /// without a file (TCP, an abstract socket), or on a socket that was passed to the process with another mode.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The mode has bits other than the nine permissions, for instance <c>(UnixFileMode)0660</c>, which is the decimal
    /// 660 in C#.
    /// </exception>
    public UnixFileMode? UnixMode
    {
        get;
        set => field = ((int)(value ?? 0) & ~AllPermissions) == 0
            ? value
            : throw new ArgumentOutOfRangeException(
                nameof(value),
                value,
                "UnixMode must be made of the nine permissions. C# has no octal numbers: write 0660 as " +
                "(UnixFileMode)0b110_110_000, or by the names of UnixFileMode.");
    }

    /// <summary>Owner of a unix socket's file, by name or number; null = the process's user.</summary>
    /// <remarks>Needs privileges. If it cannot be set, the server does not start: see <see cref="UnixMode"/>.</remarks>
    public string? UnixOwner { get; set; }

    /// <summary>
    /// Group of a unix socket's file, by name or number. Default null = the group of the folder if that is setgid (mode
    /// 2750), otherwise the process's.
    /// </summary>
    /// <remarks>
    /// Needs root, a process that is in the group, or a setgid folder of the group. If it cannot be set, the server
    /// does not start: see <see cref="UnixMode"/>.
    /// </remarks>
    public string? UnixGroup { get; set; }

    /// <summary>
    /// Connections that may wait to be accepted. Default 512, at least 1; the system may allow fewer
    /// (net.core.somaxconn). A reload does not change it. A socket that was passed to the process keeps its own:
    /// Backlog= of the systemd unit.
    /// </summary>
    public int Backlog
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 512;

    /// <summary>
    /// The networks whose clients may connect by TCP; a single client is a network of one
    /// (<c>IPNetwork.Parse("10.0.0.5/32")</c>). In the configuration an entry is an address or a CIDR range
    /// (<c>10.0.0.5</c>, <c>10.0.0.0/8</c>, <c>fd00::/8</c>). Default empty = everyone who can reach the endpoint,
    /// which is accepted on loopback only. If the environment variable FCGI_WEB_SERVER_ADDRS is set (FastCGI 1.0,
    /// section 3.2), a client must be on that list too; one invalid entry there admits nobody, and an Error is logged
    /// at the start. With an entry here, the server does not start on a unix socket, which has <see cref="UnixMode"/>
    /// instead.
    /// </summary>
    public IList<IPNetwork> AllowedClients { get; } = [];

    /// <summary>
    /// Allows listening beyond loopback without <see cref="AllowedClients"/>, and on an abstract unix socket, which
    /// every local user can open. Any process that can connect can then claim any client address, user and certificate.
    /// Default false: the server refuses to start. Lists that are set still apply.
    /// </summary>
    public bool AllowAnyClient { get; set; }

    /// <summary>
    /// The protocol of the web server on this endpoint. Default <see cref="FastCgiEndpointProtocol.FastCgi"/>.
    /// Addresses that begin with <c>scgi://</c> set <see cref="FastCgiEndpointProtocol.Scgi"/>, over which nginx can
    /// pass WebSockets, see <see cref="AllowUpgrade"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a protocol.</exception>
    public FastCgiEndpointProtocol Protocol
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Not a protocol.");
    }

    /// <summary>
    /// Allows requests to upgrade their connection (RFC 9110, section 7.8), as WebSockets do. Every request then has
    /// <see cref="Microsoft.AspNetCore.Http.Features.IHttpUpgradeFeature"/>, which tells whether it may upgrade.
    /// SignalR and Blazor offer WebSockets if the feature is present. Default: true on SCGI endpoints, false on FastCGI
    /// endpoints. Over FastCGI, only lighttpd from 1.4.74 can upgrade, with <c>"upgrade" => "enable"</c>.
    /// </summary>
    public bool AllowUpgrade
    {
        get => _allowUpgrade ?? Protocol == FastCgiEndpointProtocol.Scgi;
        set => _allowUpgrade = value;
    }

    /// <summary>Files that the web server of this endpoint sends itself. Default none.</summary>
    public FastCgiFileHandoverOptions FileHandover { get; } = new();

    /// <summary>The mode, owner and group together.</summary>
    internal SocketAccess Access => new(UnixMode, UnixOwner, UnixGroup);

    /// <summary>The name of a set option that only a socket with a file can have; null if there is none.</summary>
    internal string? FileAccessSetting => UnixMode is not null ? nameof(UnixMode)
        : UnixOwner is not null ? nameof(UnixOwner)
        : UnixGroup is not null ? nameof(UnixGroup)
        : null;

    /// <summary>True for the two addresses of ListenLocalhost. One may be missing if the other is there.</summary>
    internal bool IsHalfOfLocalhost { get; init; }

    /// <summary>True for ListenAnyIP. Without IPv6, the endpoint listens on IPv4 only.</summary>
    internal bool IsAnyIP { get; init; }

    /// <summary>True for Status.Endpoint. Web servers do not use it; only its own list decides who may.</summary>
    internal bool IsForPages { get; set; }

    /// <summary>The connections that a reload ends together. If they may continue, the new options share it.</summary>
    internal EndpointGeneration Generation { get; set; } = new();

    /// <summary>The services of the application; set before the endpoint is configured.</summary>
    public IServiceProvider ApplicationServices { get; internal set; } = null!;

    /// <summary>Called after the defaults, which may be meant for other kinds of endpoints.</summary>
    internal void DropWhatCannotApply()
    {
        EndPoint? endPoint = EndPoint ?? InheritedSockets.ReadAddress(FileHandle!.Value);
        if (endPoint is not (null or UnixDomainSocketEndPoint) || UnixSocketPath.IsAbstract(endPoint))
        {
            UnixMode = null;
            UnixOwner = UnixGroup = null;
        }

        if (endPoint is not (null or IPEndPoint))
        {
            AllowedClients.Clear();
        }
    }

    /// <summary>The address in the form that the server publishes.</summary>
    public override string ToString() => FileHandle is ulong handle
        ? $"{Hosting.Configuration.FastCgiAddress.SchemeOf(Protocol)}fd:{handle}"
        : Hosting.Configuration.FastCgiAddress.Format(EndPoint!, Protocol);
}

/// <summary>The connections of an endpoint since its start, or since a reload that ended the earlier ones.</summary>
internal sealed class EndpointGeneration
{
    private bool _hasEnded;

    /// <summary>True if a reload has ended the endpoint or its terms: its connections take no more requests.</summary>
    public bool HasEnded
    {
        get => Volatile.Read(ref _hasEnded);
        set => Volatile.Write(ref _hasEnded, value);
    }
}
