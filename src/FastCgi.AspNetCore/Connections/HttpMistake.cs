namespace FastCgi.AspNetCore.Connections;

/// <summary>Whoever sends HTTP to a FastCGI endpoint, a browser or <c>proxy_pass</c>, is told so in HTTP.</summary>
internal static class HttpMistake
{
    /// <summary>The whole answer; the connection is closed behind it.</summary>
    public static ReadOnlySpan<byte> Answer =>
        "HTTP/1.1 400 Bad Request\r\n"u8 +
        "Content-Type: text/plain\r\n"u8 +
        "Content-Length: 108\r\n"u8 +
        "Connection: close\r\n\r\n"u8 +
        "This endpoint speaks FastCGI and not HTTP. In nginx, use fastcgi_pass and not proxy_pass to connect to it.\r\n"u8;

    /// <summary>The first bytes of a connection are those of an HTTP request.</summary>
    public static bool IsMadeBy(ReadOnlySpan<byte> firstBytes) =>
        firstBytes.StartsWith("GET "u8) || firstBytes.StartsWith("POST "u8) || firstBytes.StartsWith("HEAD "u8)
        || firstBytes.StartsWith("PUT "u8) || firstBytes.StartsWith("DELETE "u8) || firstBytes.StartsWith("OPTIONS "u8)
        || firstBytes.StartsWith("PATCH "u8) || firstBytes.StartsWith("CONNECT "u8) || firstBytes.StartsWith("PRI * "u8);
}
