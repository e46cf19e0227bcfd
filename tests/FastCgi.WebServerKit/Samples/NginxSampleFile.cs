namespace FastCgi.WebServerKit.Samples;

/// <summary>What is the same in each documented configuration of nginx: where it listens, with and without TLS.</summary>
internal static class NginxSampleFile
{
    public static SampleFile Read(string name, SampleListening listening) => SampleFile.Read(name)
        .Replace("listen 80;", $"listen {listening.Plain};")
        .Enable("listen 443 ssl;", "ssl_verify_client optional;")
        .Replace("listen 443 ssl;", $"listen {listening.Encrypted} ssl;")
        .Replace("/etc/ssl/certs/www.example.com.pem", listening.Authority.SiteFile)
        .Replace("/etc/ssl/private/www.example.com.key", listening.Authority.SiteKeyFile)
        .Replace("/etc/ssl/certs/clients.pem", listening.Authority.CertificateFile);
}
