using System.Net;

namespace FastCgi.WebServerKit.Samples;

/// <summary>Where a web server listens.</summary>
/// <param name="Plain">For HTTP.</param>
/// <param name="Encrypted">For HTTPS.</param>
/// <param name="Authority">Has signed the site's certificate, and signs those of clients.</param>
internal sealed record SampleListening(IPEndPoint Plain, IPEndPoint Encrypted, TestAuthority Authority);
