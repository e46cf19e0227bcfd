using System.Security.Cryptography;
using System.Text;
using Microsoft.Net.Http.Headers;

namespace FastCgi.Gateway.Forwarding;

/// <summary>
/// A request to use another protocol on the client's connection: Upgrade of HTTP/1.1 (RFC 9110, section 7.8), or the
/// extended CONNECT of HTTP/2 (RFC 8441), which is forwarded as an Upgrade.
/// </summary>
internal sealed class UpgradeRequest
{
    private const string WebSocket = "websocket";

    private readonly IHttpUpgradeFeature? _upgrade;
    private readonly IHttpExtendedConnectFeature? _connect;
    private readonly string? _key;

    private UpgradeRequest(string protocol, IHttpUpgradeFeature? upgrade, IHttpExtendedConnectFeature? connect)
    {
        Protocol = protocol;
        _upgrade = upgrade;
        _connect = connect;
        _key = connect is null ? null : Convert.ToBase64String(RandomNumberGenerator.GetBytes(16));
    }

    public string Protocol { get; }

    /// <summary>An HTTP/2 client has no key, and takes every 2xx status for an accepted upgrade.</summary>
    public bool IsExtendedConnect => _connect is not null;

    /// <summary>Null if the client asks for no upgrade, or its connection cannot be upgraded.</summary>
    public static UpgradeRequest? Of(HttpContext context)
    {
        if (context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true } connect
            && WebSocket.Equals(connect.Protocol, StringComparison.OrdinalIgnoreCase))
        {
            return new UpgradeRequest(WebSocket, null, connect);
        }

        string upgrade = context.Request.Headers.Upgrade.ToString();
        return upgrade.Length > 0
            && context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true } feature
            ? new UpgradeRequest(upgrade, feature, null)
            : null;
    }

    public void WriteHeaders(HttpRequestMessage message)
    {
        message.Headers.TryAddWithoutValidation(HeaderNames.Connection, "Upgrade");
        message.Headers.TryAddWithoutValidation(HeaderNames.Upgrade, Protocol);
        if (_key is not null)
        {
            message.Headers.TryAddWithoutValidation(HeaderNames.SecWebSocketKey, _key);
        }
    }

    /// <summary>
    /// True if the accept value matches the key (RFC 6455, section 4.2.2), or if the client checks it itself.
    /// </summary>
    public bool IsAcceptedBy(HttpResponseMessage response) => _key is null
        || (response.Headers.NonValidated.TryGetValues(HeaderNames.SecWebSocketAccept, out var accept)
            && accept.ToString() == AcceptFor(_key));

    public ValueTask<Stream> AcceptAsync() =>
        _connect is not null ? _connect.AcceptAsync() : new(_upgrade!.UpgradeAsync());

    private static string AcceptFor(string key) =>
#pragma warning disable CA5350 // RFC 6455 says SHA-1; nothing secret depends on it.
        Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
#pragma warning restore CA5350
}
