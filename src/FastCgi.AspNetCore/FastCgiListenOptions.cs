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

    /// <summary>The address as it was asked for; null for an inherited descriptor.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The path of a unix socket; null for another endpoint.</summary>
    public string? SocketPath => (EndPoint as UnixDomainSocketEndPoint)?.ToString();

    /// <summary>The descriptor of a listening socket that was inherited; null for another endpoint.</summary>
    public ulong? FileHandle { get; }

    /// <summary>
    /// Mode of a unix socket's file, set before anyone can connect. Default null = 0660, whatever the umask is, for a
    /// socket that the server makes. The web server's user needs to write, so give the socket its group: see
    /// <see cref="UnixGroup"/>. In the configuration a mode is octal (<c>"0660"</c>) or a list of names
    /// (<c>"UserRead, UserWrite, GroupRead, GroupWrite"</c>). The server does not start with a mode if the endpoint has
    /// no file (TCP, an abstract socket), or if it is a socket that was passed to the process with another mode.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The mode has other bits than the nine permissions: for instance <c>(UnixFileMode)0660</c>, which is the decimal
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
    /// <remarks>
    /// Needs privileges. Where it cannot apply, the server does not start: see <see cref="UnixMode"/>.
    /// </remarks>
    public string? UnixOwner { get; set; }

    /// <summary>
    /// Group of a unix socket's file, by name or number. Default null = the group of the folder if that is setgid
    /// (mode 2750), else the process's.
    /// </summary>
    /// <remarks>
    /// Needs root, or a process that is in the group, or a setgid folder of the group. Where it cannot apply, the
    /// server does not start: see <see cref="UnixMode"/>.
    /// </remarks>
    public string? UnixGroup { get; set; }

    /// <summary>
    /// Connections that the system keeps waiting to be accepted. Default 512, at least 1; the system may allow fewer
    /// (net.core.somaxconn). A reload does not change it. A socket that was passed to the process keeps its own:
    /// Backlog= of the unit of systemd.
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
    /// Listen beyond loopback without <see cref="AllowedClients"/>, or on an abstract unix socket, which every user of
    /// the machine can open: whoever can connect can claim any client address, user and certificate. Default false: the
    /// server then refuses to start. Lists that are set still count.
    /// </summary>
    public bool AllowAnyClient { get; set; }

    /// <summary>
    /// The protocol of the web server on this endpoint. Default <see cref="FastCgiEndpointProtocol.FastCgi"/>;
    /// addresses that begin with <c>scgi://</c> set <see cref="FastCgiEndpointProtocol.Scgi"/>, on which nginx passes
    /// WebSockets on, see <see cref="AllowUpgrade"/>.
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
    /// Requests that ask for it may upgrade their connection (RFC 9110, section 7.8), as WebSockets do. Every request
    /// has <see cref="Microsoft.AspNetCore.Http.Features.IHttpUpgradeFeature"/> then, which says whether it is one of
    /// those; SignalR and Blazor offer WebSockets where it is there. Default: true on SCGI endpoints, false on
    /// FastCGI endpoints, where of all web servers lighttpd from 1.4.74 can do it, with <c>"upgrade" => "enable"</c>.
    /// </summary>
    public bool AllowUpgrade
    {
        get => _allowUpgrade ?? Protocol == FastCgiEndpointProtocol.Scgi;
        set => _allowUpgrade = value;
    }

    /// <summary>Files that the web server of this endpoint sends itself. Default none.</summary>
    public FastCgiFileHandoverOptions FileHandover { get; } = new();

    /// <summary>A setting that only a socket with a file can have; null without one.</summary>
    internal string? FileAccessSetting => UnixMode is not null ? nameof(UnixMode)
        : UnixOwner is not null ? nameof(UnixOwner)
        : UnixGroup is not null ? nameof(UnixGroup)
        : null;

    /// <summary>One of the two addresses of ListenLocalhost: it may be missing if the other is there.</summary>
    internal bool IsHalfOfLocalhost { get; init; }

    /// <summary>Made by ListenAnyIP: IPv4 alone has to do where there is no IPv6.</summary>
    internal bool IsAnyIP { get; init; }

    /// <summary>Made by Status.Endpoint: web servers do not ask there, and its own list alone says who may.</summary>
    internal bool IsForPages { get; set; }

    /// <summary>Which connections a reload ends together. If it lets them go on, the new options get it.</summary>
    internal EndpointGeneration Generation { get; set; } = new();

    /// <summary>The services of the application; set before the endpoint is configured.</summary>
    public IServiceProvider ApplicationServices { get; internal set; } = null!;

    /// <summary>Called behind the defaults, which are meant for the endpoints that they can apply to.</summary>
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

/// <summary>The connections of an endpoint from its start, or from a reload that ended those before.</summary>
internal sealed class EndpointGeneration
{
    private bool _hasEnded;

    /// <summary>A reload has ended the endpoint, or its terms: its connections take no further requests.</summary>
    public bool HasEnded
    {
        get => Volatile.Read(ref _hasEnded);
        set => Volatile.Write(ref _hasEnded, value);
    }
}
