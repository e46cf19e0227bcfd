namespace FastCgi.WebServerKit.Samples;

/// <summary>What the samples of Apache have in common: the block for a virtual host, once plain and once with TLS.</summary>
internal static class ApacheSamples
{
    /// <summary>What Debian's Apache has enabled from the start, as far as the samples go by it.</summary>
    private static readonly string[] _enabledByDebian = ["authz_core", "alias", "env"];

    public static ApacheServer Program(params IEnumerable<string> modules) =>
        new([.. _enabledByDebian, .. modules, "ssl"]);

    public static SampleFile ListenOn(this SampleFile file, SampleListening listening) =>
        file.Replace("<VirtualHost *:80>", $"<VirtualHost {listening.Plain}>");

    public static SampleFile ListenEncryptedOn(this SampleFile file, SampleListening listening) => file
        .Replace("<VirtualHost *:80>", $"Listen {listening.Encrypted}\n<VirtualHost {listening.Encrypted}>")
        .Enable("SSLEngine on", "SSLOptions +ExportCertData")
        .Replace("/etc/ssl/certs/www.example.com.pem", listening.Authority.SiteFile)
        .Replace("/etc/ssl/private/www.example.com.key", listening.Authority.SiteKeyFile)
        .Replace("/etc/ssl/certs/clients.pem", listening.Authority.CertificateFile);
}
