using FastCgi.AspNetCore.Transport.Listening;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>Listens on addresses in the forms of <see cref="FastCgiEndpoint"/>. <c>*:9000</c> means all.</summary>
internal static class FastCgiAddress
{
    private const string Scheme = "fastcgi://";
    private const string ScgiScheme = "scgi://";

    /// <summary>The entries that <see cref="TryParseNetwork"/> accepts, for messages.</summary>
    public const string AcceptedNetwork = "an address or a CIDR range, like 10.0.0.5, 10.0.0.0/8 or fd00::/8";

    private const string UnixPrefix = "unix:";

    /// <summary>HTTP addresses come from launch profiles and container images. They are not bound.</summary>
    public static bool IsHttp(string address) =>
        address.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
        || address.StartsWith("https://", StringComparison.OrdinalIgnoreCase);

    /// <summary>Adds the endpoint of <paramref name="address"/> to <paramref name="options"/>.</summary>
    /// <exception cref="FormatException">The address is invalid; the message says why.</exception>
    public static void Listen(FastCgiServerOptions options, string address, Action<FastCgiListenOptions> configure)
    {
        if (!FastCgiEndpoint.TryParse(address, out FastCgiEndpoint? endpoint, out string? reason))
        {
            throw Invalid(address, reason);
        }

        if (endpoint.Protocol == FastCgiEndpointProtocol.Scgi)
        {
            Action<FastCgiListenOptions> configureRest = configure;
            configure = listen =>
            {
                listen.Protocol = endpoint.Protocol;
                configureRest(listen);
            };
        }

        if (endpoint.SocketPath is { } path)
        {
            ListenUnix(options, address, path, configure);
        }
        else if (endpoint.Descriptor is { } descriptor)
        {
            options.ListenHandle(descriptor, configure);
        }
        else
        {
            ListenTcp(options, address, endpoint, configure);
        }
    }

    /// <summary>The published form. BindingAddress.Parse accepts it, as HttpsRedirection requires.</summary>
    public static string Format(EndPoint endPoint, FastCgiEndpointProtocol protocol) =>
        SchemeOf(protocol) + endPoint switch
        {
            // An abstract socket has no "unix:", because BindingAddress expects a path or a port after that.
            UnixDomainSocketEndPoint unix when UnixSocketPath.IsAbstract(unix) =>
                unix.ToString()!.Replace(":", "%3A", StringComparison.Ordinal),
            UnixDomainSocketEndPoint unix => UnixPrefix + unix,
            _ => endPoint,
        };

    /// <summary>The scheme, including the two slashes.</summary>
    public static string SchemeOf(FastCgiEndpointProtocol protocol) =>
        protocol == FastCgiEndpointProtocol.Scgi ? ScgiScheme : Scheme;

    /// <summary>Reads an address (a network of one) or a CIDR range, which may have host bits.</summary>
    public static bool TryParseNetwork(ReadOnlySpan<char> text, out IPNetwork network)
    {
        network = default;
        text = text.Trim();
        int slash = text.IndexOf('/');
        if (!TryParseIPAddress(slash < 0 ? text : text[..slash], out IPAddress? address))
        {
            return false;
        }

        byte[] bytes = address.GetAddressBytes();
        int prefix = bytes.Length * 8;
        if (slash >= 0
            && (!int.TryParse(text[(slash + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out prefix)
                || prefix > bytes.Length * 8))
        {
            return false;
        }

        network = new IPNetwork(new IPAddress(bytes), prefix);
        return true;
    }

    /// <summary>
    /// Reads an address in the usual forms only. IPAddress reads "9000" as 0.0.35.40, "010.0.0.1" as 8.0.0.1 and
    /// "[::1]:80" as an address, which their author does not mean.
    /// </summary>
    public static bool TryParseIPAddress(ReadOnlySpan<char> text, [NotNullWhen(true)] out IPAddress? address)
    {
        address = null;
        return !text.ContainsAny('[', ']')
            && IPAddress.TryParse(text, out address)
            && (address.AddressFamily == AddressFamily.InterNetworkV6 || text.SequenceEqual(address.ToString()));
    }

    private static void ListenUnix(
        FastCgiServerOptions options, string address, string path, Action<FastCgiListenOptions> configure)
    {
        EndPoint endPoint;
        try
        {
            endPoint = UnixSocketPath.Parse(path);
        }
        catch (ArgumentException exception)
        {
            throw Invalid(address, exception.Message);
        }

        // Outside the try block: exceptions of the application's own code are not errors of the address.
        options.Listen(endPoint, configure);
    }

    private static void ListenTcp(
        FastCgiServerOptions options,
        string address,
        FastCgiEndpoint endpoint,
        Action<FastCgiListenOptions> configure)
    {
        string host = endpoint.Host!;
        if (host is "*" or "+")
        {
            options.ListenAnyIP(endpoint.Port, configure);
        }
        else if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            if (endpoint.Port == 0)
            {
                throw Invalid(address, "localhost is two addresses, which cannot share a port that the system " +
                    "chooses: use 127.0.0.1:0 or [::1]:0");
            }

            options.ListenLocalhost(endpoint.Port, configure);
        }
        else if (TryParseHost(host, out IPAddress? ip))
        {
            options.Listen(ip, endpoint.Port, configure);
        }
        else
        {
            throw Invalid(address, $"'{host}' is neither an IP address (of IPv6: [::1]) nor 'localhost' nor '*'");
        }
    }

    private static bool TryParseHost(string host, [NotNullWhen(true)] out IPAddress? ip) => host is ['[', .., ']']
        ? TryParseIPAddress(host.AsSpan(1, host.Length - 2), out ip)
            && ip.AddressFamily == AddressFamily.InterNetworkV6
        : TryParseIPAddress(host, out ip) && ip.AddressFamily == AddressFamily.InterNetwork;

    private static FormatException Invalid(string address, string reason) => new(
        $"The address '{address}' cannot be listened on: {reason}. " +
        "Write it like fastcgi://127.0.0.1:9000 or fastcgi://unix:/run/app/app.sock.");
}
