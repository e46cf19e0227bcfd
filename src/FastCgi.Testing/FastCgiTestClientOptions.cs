using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc.Testing;

namespace FastCgi.Testing;

/// <summary>
/// The facts about a client that a web server sends to the application, for <c>CreateFastCgiClient</c> and
/// <c>ConnectFastCgiAsync</c>. The scheme of <see cref="WebApplicationFactoryClientOptions.BaseAddress"/> determines
/// HTTPS, its host HTTP_HOST. Redirects and cookies are only for an HttpClient.
/// </summary>
public sealed class FastCgiTestClientOptions : WebApplicationFactoryClientOptions
{
    /// <summary>The client's address, as REMOTE_ADDR. Default 127.0.0.1.</summary>
    public IPAddress RemoteAddress
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = IPAddress.Loopback;

    /// <summary>The client's port, 1 to 65535, as REMOTE_PORT. Default null: no such parameter.</summary>
    public int? RemotePort
    {
        get;
        set => field = value is null or (> IPEndPoint.MinPort and <= IPEndPoint.MaxPort)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A port is 1 to 65535, or null for none.");
    }

    /// <summary>
    /// The user that the web server has authenticated, as REMOTE_USER. Default null: none. The application signs it in
    /// only if it uses AddFastCgiUser.
    /// </summary>
    public string? RemoteUser { get; set; }

    /// <summary>The method of authentication, as AUTH_TYPE, for example <c>Basic</c>. Default null: none.</summary>
    public string? AuthenticationType { get; set; }

    /// <summary>
    /// The client's TLS certificate, as PEM in SSL_CLIENT_CERT. The web server has verified it: SSL_CLIENT_VERIFY is
    /// <c>SUCCESS</c>, unless <see cref="Parameters"/> change that. Default null: none. The application sees it if its
    /// ClientCertificateParameter is set to that name. The private key is not needed.
    /// </summary>
    public X509Certificate2? ClientCertificate { get; set; }

    /// <summary>
    /// The path at which the web server mounts the application, for example <c>/app</c>, as ASPNETCORE_PATHBASE and
    /// SCRIPT_NAME. Default empty. Targets of requests begin with it, as behind a web server.
    /// </summary>
    public PathString PathBase { get; set; }

    /// <summary>
    /// Other parameters of every request. They override all others with the same name; null removes a parameter.
    /// </summary>
    public IDictionary<string, string?> Parameters { get; } =
        new Dictionary<string, string?>(StringComparer.Ordinal);

    /// <summary>
    /// The maximum number of bytes per write, 1 or more. Default null: no limit. With 1, records are cut at every byte.
    /// On a unix socket of Linux, a write waits until the server has received the previous one; elsewhere the system
    /// may join them.
    /// </summary>
    public int? WriteSize
    {
        get;
        set => field = value is null or > 0
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "WriteSize is 1 or more, or null.");
    }

    /// <summary>
    /// Receives the application's STDERR for requests of an HttpClient, with the request. The memory is valid during
    /// the call. Default null: STDERR is dropped.
    /// </summary>
    public Action<HttpRequestMessage, ReadOnlyMemory<byte>>? StandardError { get; set; }
}
