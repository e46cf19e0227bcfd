namespace FastCgi.AspNetCore.Cgi;

/// <summary>The params that the server itself uses.</summary>
/// <remarks>
/// First the meta-variables of RFC 3875, section 4.1, and additions of web servers. Then the client's header fields
/// (section 4.1.18), from <see cref="HttpHost"/> on. <see cref="ParamNames"/> has more fields behind these, without
/// names of their own, because most requests have some of them.
/// </remarks>
internal enum KnownParam : byte
{
    /// <summary>Any other name.</summary>
    None,

    RequestMethod,
    RequestUri,
    UnencodedUrl,
    ScriptName,
    PathInfo,
    DocumentUri,
    QueryString,
    ServerProtocol,
    RequestScheme,
    Https,
    ServerName,
    ServerPort,
    ServerAddr,
    ServerSoftware,
    RemoteAddr,
    RemotePort,
    RemoteUser,
    AuthType,
    ContentLength,
    ContentType,
    PathBase,
    RedirectHttpAuthorization,
    SslClientCert,
    SslProtocol,
    SslCipher,
    GatewayInterface,
    ScriptFilename,
    DocumentRoot,
    ContextDocumentRoot,
    RedirectStatus,
    RedirectUri,

    HttpHost,
    HttpConnection,
    HttpKeepAlive,
    HttpTe,
    HttpExpect,
    HttpTransferEncoding,
    HttpUpgrade,
    HttpProxy,
    HttpContentLength,
    HttpContentType,
    HttpAuthorization,
    HttpCookie,
    HttpReferer,
    HttpOrigin,

    // The forwarding headers, without others in between.
    HttpForwarded,
    HttpXRealIp,
    HttpXForwardedFor,
    HttpXForwardedProto,
    HttpXForwardedHost,
    HttpXForwardedPrefix,
}
