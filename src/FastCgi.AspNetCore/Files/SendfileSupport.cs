namespace FastCgi.AspNetCore.Files;

/// <summary>Which web server knows which header that names a file.</summary>
internal static class SendfileSupport
{
    /// <summary>False for a web server that would pass the header and an empty body on to its client.</summary>
    /// <param name="software">SERVER_SOFTWARE. A name that is not listed may be a relative of one that is.</param>
    /// <param name="isNginx">It names nginx or a relative.</param>
    /// <param name="headerName">X-Accel-Redirect or X-Sendfile.</param>
    public static bool MayKnow(ReadOnlySpan<byte> software, bool isNginx, string headerName)
    {
        if (isNginx)
        {
            return headerName == HandoverFolder.XAccelRedirect;
        }

        if (software.StartsWith("Apache"u8) || software.StartsWith("lighttpd"u8))
        {
            return headerName == HandoverFolder.XSendfile;
        }

        return !software.StartsWith("Caddy"u8) && !software.StartsWith("HAProxy"u8) && !software.StartsWith("h2o"u8)
            && !software.StartsWith("Microsoft-IIS"u8);
    }
}
