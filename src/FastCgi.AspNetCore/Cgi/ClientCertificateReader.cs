using System.Buffers.Text;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The client's certificate, in each of the four spellings that web servers have for it.</summary>
/// <remarks>
/// PEM (Apache, lighttpd, Caddy); PEM whose lines go on behind a tab (<c>$ssl_client_cert</c>); PEM escaped as in a
/// URL (<c>$ssl_client_escaped_cert</c>); and the bare base64 of the DER form (HAProxy, <c>ssl_c_der,base64</c>).
/// </remarks>
internal static class ClientCertificateReader
{
    /// <summary>The first certificate of the value; null when there is none that can be read.</summary>
    public static X509Certificate2? Read(ReadOnlySpan<byte> value)
    {
        if (value.IsEmpty)
        {
            return null;
        }

        var text = value.ToArray();
        var length = value.Contains((byte)'%') ? Unescape(text) : text.Length;
        var base64 = CutBoundaries(text.AsSpan(0, length));

        // White space of any kind, tabs included, is passed over by the decoder.
        var der = new byte[Base64.GetMaxDecodedFromUtf8Length(base64.Length)];
        if (Base64.DecodeFromUtf8(base64, der, out _, out var written) != System.Buffers.OperationStatus.Done
            || written == 0)
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

    // A plus sign is a digit of base64 here, never a space.
    private static int Unescape(Span<byte> text)
    {
        var written = 0;
        for (var read = 0; read < text.Length; read++)
        {
            if (text[read] == '%' && Convert.FromHexString(text.Slice(read + 1, Math.Min(2, text.Length - read - 1)),
                text.Slice(written, 1), out _, out var bytes) == System.Buffers.OperationStatus.Done && bytes == 1)
            {
                written++;
                read += 2;
                continue;
            }

            text[written++] = text[read];
        }

        return written;
    }
}
