namespace FastCgi.WebServerKit;

/// <summary>How the application is reached by nginx; names the case in a test's display name.</summary>
public enum BackEndKind
{
    /// <summary>Our server behind <c>fastcgi_pass</c>, with <c>fastcgi_keep_conn on</c>.</summary>
    FastCgi,

    /// <summary>Our server behind <c>fastcgi_pass</c>, with a connection for each request, nginx's default.</summary>
    FastCgiWithoutKeepConn,

    /// <summary>Our server behind <c>scgi_pass</c>.</summary>
    Scgi,

    /// <summary>Kestrel behind <c>proxy_pass</c>: what people have today, so a test cannot ask for too much.</summary>
    Kestrel,
}
