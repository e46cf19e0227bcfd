using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>Recognises a peer that speaks another protocol, and advises what to change.</summary>
internal sealed class ForeignProtocolAdvice
{
    private const int TlsHandshake = 0x16;
    private const int TlsMajorVersion = 3;

    private static readonly ForeignProtocolAdvice s_http = OfHttp("FastCGI", "fastcgi");

    private static readonly ForeignProtocolAdvice s_httpToScgi = OfHttp("SCGI", "scgi");

    private static readonly ForeignProtocolAdvice s_tls = new(
        "TLS", "Let the web server end TLS; connections to this endpoint are plain.");

    private static readonly ForeignProtocolAdvice s_proxy = new(
        "the PROXY protocol",
        "Turn it off for connections to this endpoint (HAProxy: no send-proxy); params tell the client's address.");

    private static readonly ForeignProtocolAdvice s_scgi = new(
        "SCGI", "Use fastcgi_pass where the web server has scgi_pass, or set Protocol of the endpoint to Scgi.");

    private static readonly ForeignProtocolAdvice s_fastCgi = new(
        "FastCGI", "Use scgi_pass where the web server has fastcgi_pass, or set Protocol of the endpoint to FastCgi.");

    private ForeignProtocolAdvice(string name, string advice, string answer = "")
    {
        Name = name;
        Advice = advice;
        Answer = Encoding.ASCII.GetBytes(answer);
    }

    public string Name { get; }

    /// <summary>The recommended change, as a sentence.</summary>
    public string Advice { get; }

    /// <summary>
    /// An answer in the peer's own protocol, for a person who typed the address into a browser. Empty if nobody would
    /// read it.
    /// </summary>
    public byte[] Answer { get; }

    /// <summary>Recognises a protocol by the first bytes sent to a FastCGI endpoint; null if unknown.</summary>
    public static ForeignProtocolAdvice? AtFastCgi(ReadOnlySpan<byte> firstBytes) =>
        IsScgi(firstBytes) ? s_scgi : Of(firstBytes, s_http);

    /// <summary>Recognises a protocol by the first bytes sent to an SCGI endpoint; null if unknown.</summary>
    public static ForeignProtocolAdvice? AtScgi(ReadOnlySpan<byte> firstBytes) =>
        firstBytes is [FastCgiConstants.Version, (byte)RecordType.BeginRequest or (byte)RecordType.GetValues, ..]
            ? s_fastCgi
            : Of(firstBytes, s_httpToScgi);

    private static ForeignProtocolAdvice OfHttp(string protocol, string scheme)
    {
        string text =
            $"This port speaks {protocol}, not HTTP: a browser or proxy_pass cannot talk to it.\r\n" +
            $"Put a web server in front and connect it with {scheme}_pass, for example in nginx:\r\n" +
            $"location / {{ include {scheme}_params; {scheme}_pass <this address>; }}\r\n";
        string head =
            $"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: {text.Length}\r\n" +
            "Connection: close\r\n\r\n";
        return new ForeignProtocolAdvice(
            "HTTP", $"Use {scheme}_pass where the web server has proxy_pass.", head + text);
    }

    private static ForeignProtocolAdvice? Of(ReadOnlySpan<byte> firstBytes, ForeignProtocolAdvice http) =>
        IsHttp(firstBytes) ? http
        : firstBytes.StartsWith("PROXY "u8) || firstBytes.StartsWith("\r\n\r\n\0\r\nQUIT\n"u8) ? s_proxy
        : firstBytes.Length >= 2 && firstBytes[0] == TlsHandshake && firstBytes[1] == TlsMajorVersion ? s_tls
        : null;

    private static bool IsHttp(ReadOnlySpan<byte> first) =>
        first.StartsWith("GET "u8) || first.StartsWith("POST "u8) || first.StartsWith("HEAD "u8)
        || first.StartsWith("PUT "u8) || first.StartsWith("DELETE "u8) || first.StartsWith("OPTIONS "u8)
        || first.StartsWith("PATCH "u8) || first.StartsWith("CONNECT "u8) || first.StartsWith("PRI * "u8);

    /// <summary>True for a netstring of headers. The first header is always CONTENT_LENGTH.</summary>
    private static bool IsScgi(ReadOnlySpan<byte> first)
    {
        int digits = first.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return digits > 0 && first[digits..].StartsWith(":CONTENT_LENGTH\0"u8);
    }
}
