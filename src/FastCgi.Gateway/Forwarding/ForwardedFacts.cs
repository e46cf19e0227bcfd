using System.Net;

namespace FastCgi.Gateway.Forwarding;

/// <summary>
/// The facts about the client and its connection, always taken from <see cref="HttpContext"/>. No header of the client
/// can set or change them.
/// </summary>
internal static class ForwardedFacts
{
    /// <summary>nginx's REMOTE_ADDR for a client on a unix socket, which has no address.</summary>
    private const string NoAddress = "unix:";

    public static void Write(HttpContext context, HttpRequestMessage message, ForwardedPlace place)
    {
        Dictionary<string, string?>? parameters = null;
        ConnectionInfo connection = context.Connection;
        HttpRequestOptions options = message.Options;
        if (connection.RemoteIpAddress is { } remote)
        {
            options.Set(FastCgiRequestOptions.RemoteAddress, Plain(remote));
        }
        else
        {
            Add("REMOTE_ADDR", NoAddress);
        }

        if (connection.RemotePort > 0)
        {
            options.Set(FastCgiRequestOptions.RemotePort, connection.RemotePort);
        }

        if (connection.LocalIpAddress is { } local)
        {
            options.Set(FastCgiRequestOptions.LocalAddress, Plain(local));
        }

        if (connection.LocalPort > 0)
        {
            options.Set(FastCgiRequestOptions.LocalPort, connection.LocalPort);
        }

        if (place.PathBase.Length > 0)
        {
            options.Set(FastCgiRequestOptions.PathBase, place.PathBase);
        }

        if (place.Script is { } script)
        {
            options.Set(FastCgiRequestOptions.ScriptName, script);
            WriteEmptyBody();
        }
        else
        {
            WritePath();
        }

        // A middleware may have changed the query. REQUEST_URI stays as the client sent it.
        if (!ForwardedTarget.HasQuery(context, out string query))
        {
            Add("QUERY_STRING", query);
        }

        if (!context.Request.Host.HasValue)
        {
            Add("HTTP_HOST", null);
            Add("SERVER_NAME", connection.LocalIpAddress is { } address ? Plain(address).ToString() : "localhost");
        }

        if (context.User.Identity is { IsAuthenticated: true, Name: { Length: > 0 } name } identity)
        {
            Add("REMOTE_USER", name);
            Add("AUTH_TYPE", identity.AuthenticationType);
        }

        if (context.Request.IsHttps && connection.ClientCertificate is { } certificate)
        {
            Add("SSL_CLIENT_CERT", certificate.ExportCertificatePem());

            // Only the server in front knows whether the certificate was verified. Kestrel does not tell.
            if (context.GetServerVariable("SSL_CLIENT_VERIFY") is { Length: > 0 } verdict)
            {
                Add("SSL_CLIENT_VERIFY", verdict);
            }
        }

        if (parameters is not null)
        {
            options.Set(FastCgiRequestOptions.Parameters, parameters);
        }

        // Routes and their authorization have checked this path. Decoding the target might give another one.
        void WritePath()
        {
            if (!ForwardedTarget.HasPath(context, place.PathBase, place.Path))
            {
                Add("DOCUMENT_URI", place.PathBase + place.Path);
                Add("PATH_INFO", place.Path);
            }
        }

        // Web servers always send both, and scripts rely on that.
        void WriteEmptyBody()
        {
            if (message.Content is null)
            {
                Add("CONTENT_LENGTH", "");
            }

            if (message.Content?.Headers.NonValidated.Contains("Content-Type") != true)
            {
                Add("CONTENT_TYPE", "");
            }
        }

        void Add(string key, string? value) => (parameters ??= new(StringComparer.Ordinal))[key] = value;
    }

    /// <summary>A dual-mode socket shows IPv4 clients as IPv6 addresses.</summary>
    private static IPAddress Plain(IPAddress address) =>
        address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
}
