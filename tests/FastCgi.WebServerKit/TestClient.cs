namespace FastCgi.WebServerKit;

/// <summary>A client for ordinary requests: follows no redirect, decompresses nothing.</summary>
internal static class TestClient
{
    public static HttpClient Create(IPEndPoint server, bool isEncrypted = false, bool keepsCookies = false)
    {
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            // Apache and lighttpd close a connection that is idle for five seconds, maybe just when a request follows.
            PooledConnectionIdleTimeout = TimeSpan.FromSeconds(2),
            UseCookies = keepsCookies,
            UseProxy = false,
        };
        handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) =>
            certificate?.GetCertHashString() == TestCertificate.Thumbprint;
        return new HttpClient(handler)
        {
            BaseAddress = new Uri($"{(isEncrypted ? "https" : "http")}://{server}/"),
            Timeout = Deadline.Of(TimeSpan.FromMinutes(1)),
        };
    }
}
