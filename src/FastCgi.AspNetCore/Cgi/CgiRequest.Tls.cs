using System.Buffers;
using System.Buffers.Text;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.AspNetCore.Cgi;

// The web server's TLS connection with the client, decoded on demand.
internal sealed partial class CgiRequest
{
    /// <summary>SSL_CIPHER as received; null if absent. Up to TLS 1.2, OpenSSL has names of its own.</summary>
    public string? TlsCipherText => Params.GetString(KnownParam.SslCipher);

    /// <summary>SSL_PROTOCOL; None if absent or unknown.</summary>
    public SslProtocols TlsProtocol => Params.GetString(KnownParam.SslProtocol) switch
    {
        "TLSv1.3" or "tls1.3" => SslProtocols.Tls13,
        "TLSv1.2" or "tls1.2" => SslProtocols.Tls12,
        _ => SslProtocols.None,
    };

    /// <summary>SSL_CIPHER if it is an IANA name, as in TLS 1.3; otherwise null.</summary>
    public TlsCipherSuite? TlsCipherSuite =>
        TlsCipherText is { } text && text.StartsWith("TLS_", StringComparison.Ordinal)
            && Enum.TryParse<TlsCipherSuite>(text, out var suite)
            ? suite
            : null;

    /// <summary>Reads the client's certificate; null if there is none, or it is unreadable.</summary>
    /// <param name="isDamaged">True if the param has a value that is no certificate.</param>
    /// <remarks>A new object for each call. The caller must dispose it.</remarks>
    public X509Certificate2? ReadClientCertificate(out bool isDamaged)
    {
        isDamaged = false;
        var value = options.ClientCertificateParameter is { } param ? Params.GetBytes(param) : default;
        // HAProxy writes a hyphen for a missing sample.
        if (value.IsEmpty || value.SequenceEqual("-"u8))
        {
            return null;
        }

        var certificate = Decode(value);
        isDamaged = certificate is null;
        return certificate;
    }

    /// <summary>The first certificate of the value, in any of four forms; null if it is unreadable.</summary>
    /// <remarks>
    /// PEM (Apache, lighttpd, Caddy); PEM with a tab before further lines (<c>$ssl_client_cert</c>); PEM escaped as in
    /// a URL (<c>$ssl_client_escaped_cert</c>); the bare base64 of the DER form (HAProxy, <c>ssl_c_der,base64</c>).
    /// </remarks>
    private static X509Certificate2? Decode(ReadOnlySpan<byte> value)
    {
        // A plus sign is a base64 digit here, never a space.
        var text = new byte[value.Length];
        var base64 = CutBoundaries(text.AsSpan(0, NginxPath.Decode(value, text)));

        // The decoder skips whitespace of any kind, including tabs.
        var der = new byte[Base64.GetMaxDecodedFromUtf8Length(base64.Length)];
        if (Base64.DecodeFromUtf8(base64, der, out _, out var written) != OperationStatus.Done)
        {
            return null;
        }

        try
        {
            return X509CertificateLoader.LoadCertificate(der.AsSpan(0, written));
        }
        catch (CryptographicException)
        {
            return null;
        }
    }

    private static ReadOnlySpan<byte> CutBoundaries(ReadOnlySpan<byte> text)
    {
        var begin = "-----BEGIN CERTIFICATE-----"u8;
        var start = text.IndexOf(begin);
        if (start < 0)
        {
            return text;
        }

        text = text[(start + begin.Length)..];
        var end = text.IndexOf("-----END CERTIFICATE-----"u8);
        return end < 0 ? default : text[..end];
    }
}
