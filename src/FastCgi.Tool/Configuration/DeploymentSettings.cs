namespace FastCgi.Tool.Configuration;

/// <summary>The values for a web server's configuration.</summary>
internal sealed record DeploymentSettings
{
    /// <summary>The default path in systemd's units and in the files of the samples.</summary>
    public const string DocumentedSocket = "/run/app/app.sock";

    public const string DocumentedTcp = "127.0.0.1:9000";

    public const string DocumentedName = "www.example.com";

    public const string DocumentedCertificate = "/etc/ssl/certs/www.example.com.pem";

    public const string DocumentedKey = "/etc/ssl/private/www.example.com.key";

    /// <summary>The name of nginx's upstream and of systemd's units.</summary>
    public string Site { get; init; } = "app";

    /// <summary>The endpoint of the application.</summary>
    public required FastCgiEndpoint Endpoint { get; init; }

    /// <summary>True if the endpoint speaks SCGI.</summary>
    public bool IsScgi { get; init; }

    /// <summary>The name of the site; null for any.</summary>
    public string? ServerName { get; init; }

    /// <summary>A port, or an address with a port; null for the default.</summary>
    public string? Listen { get; init; }

    /// <summary>The path at which the application is mounted, without a slash at its end; null for the root.</summary>
    public string? PathBase { get; init; }

    /// <summary>True if the application sets PathBase itself, so that the web server need not send it.</summary>
    public bool KnowsPathBase { get; init; }

    /// <summary>The file of the certificate; null for no TLS.</summary>
    public string? Certificate { get; init; }

    /// <summary>The file of the certificate's key.</summary>
    public string? Key { get; init; }

    /// <summary>The application's limit of a request body; null if its settings have none.</summary>
    public BodyLimit? MaxRequestBodySize { get; init; }

    /// <summary>The program of the unit.</summary>
    public string Program { get; init; } = "/srv/app/App";

    /// <summary>The user of the unit.</summary>
    public string User { get; init; } = "app";

    /// <summary>The web server's group.</summary>
    public string Group { get; init; } = "www-data";

    public bool IsTcp => Endpoint.SocketPath is null;

    /// <summary>The host for a web server on the same machine; null for a unix socket.</summary>
    public string? Host => Endpoint.Host switch
    {
        "*" or "+" or "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        { } host => host,
        null => null,
    };

    /// <summary>The host without the brackets of IPv6, for files with a separate place for the port.</summary>
    public string? BareHost => Host?.Trim('[', ']');

    public string TcpAddress => $"{Host}:{Endpoint.Port}";

    /// <summary>Address and port. A port without an address listens on every address.</summary>
    public string ListenAddress => Listen ?? "80";

    /// <summary>The port of <see cref="ListenAddress"/>.</summary>
    public string ListenPort => ListenAddress[(ListenAddress.LastIndexOf(':') + 1)..];
}
