using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// Tells whether nginx has sent a request to another path than the client's: by <c>rewrite</c>, <c>error_page</c>,
/// <c>try_files</c>, <c>auth_request</c> or X-Accel-Redirect. REQUEST_URI is then the client's, DOCUMENT_URI the new.
/// </summary>
internal sealed class NginxRedirect
{
    private static readonly byte[][] _family =
    [
        [.. "nginx"u8], [.. "angie"u8], [.. "freenginx"u8], [.. "njet"u8], [.. "openresty"u8], [.. "tengine"u8],
    ];

    private byte[] _scratch = [];
    private string _originalPath = "";

    /// <summary>The client's path as nginx normalises it; null where nothing was redirected.</summary>
    public string? OriginalPath { get; private set; }

    /// <summary>True when the request goes to DOCUMENT_URI, and REQUEST_URI is another path.</summary>
    public bool Read(CgiParams @params)
    {
        OriginalPath = null;
        var documentUri = @params.GetBytes(KnownParam.DocumentUri);
        if (documentUri.IsEmpty || !MayBeNginx(@params.GetBytes(KnownParam.ServerSoftware)))
        {
            return false;
        }

        var path = PathOf(@params.GetBytes(KnownParam.RequestUri));
        if (path.SequenceEqual(documentUri) && !path.Contains((byte)'%'))
        {
            return false;
        }

        var normalised = Normalise(path, mergeSlashes: true);
        if (normalised.SequenceEqual(documentUri)
            || Normalise(path, mergeSlashes: false).SequenceEqual(documentUri))
        {
            return false;
        }

        // Once more, since the second look has used the buffer.
        normalised = Normalise(path, mergeSlashes: true);
        if (_originalPath.Length != normalised.Length || !Ascii.Equals(normalised, _originalPath))
        {
            _originalPath = Encoding.UTF8.GetString(normalised);
        }

        OriginalPath = _originalPath;
        return true;
    }

    /// <summary>Whether a decoded path is the one by which the web server chose its location.</summary>
    /// <param name="path">What was made of the target.</param>
    /// <param name="target">Without scheme and authority, with query and fragment.</param>
    /// <param name="params">Of the request.</param>
    public bool IsLocated(string path, ReadOnlySpan<byte> target, CgiParams @params)
    {
        var located = @params.GetBytes(KnownParam.DocumentUri);
        if (located.IsEmpty)
        {
            // No web server tells what it compared: only a path that has one meaning will do.
            var query = target.IndexOf((byte)'?');
            var raw = query < 0 ? target : target[..query];
            located = NginxPath.HasOneSpelling(raw) ? Normalise(raw, mergeSlashes: true) : default;
        }

        return Ascii.Equals(located, path) || Encoding.UTF8.GetBytes(path).AsSpan().SequenceEqual(located);
    }

    /// <summary>
    /// Whether SERVER_SOFTWARE names nginx, or a relative, which sends the same params: in any case, with a version or
    /// without.
    /// </summary>
    public static bool IsNginx(ReadOnlySpan<byte> software)
    {
        foreach (var name in _family)
        {
            if (BeginsWith(software, name))
            {
                return true;
            }
        }

        return false;
    }

    private static bool BeginsWith(ReadOnlySpan<byte> software, ReadOnlySpan<byte> name) =>
        software.Length >= name.Length && Ascii.EqualsIgnoreCase(software[..name.Length], name)
        && (software.Length == name.Length || !char.IsAsciiLetterOrDigit((char)software[name.Length]));

    /// <summary>nginx' own scgi_params has no SERVER_SOFTWARE, and nobody else sends DOCUMENT_URI.</summary>
    private static bool MayBeNginx(ReadOnlySpan<byte> software) => software.IsEmpty || IsNginx(software);

    private static ReadOnlySpan<byte> PathOf(ReadOnlySpan<byte> requestUri)
    {
        var end = requestUri.IndexOfAny((byte)'?', (byte)'#');
        return end < 0 ? requestUri : requestUri[..end];
    }

    private ReadOnlySpan<byte> Normalise(ReadOnlySpan<byte> path, bool mergeSlashes)
    {
        if (_scratch.Length < path.Length)
        {
            _scratch = new byte[Math.Max(path.Length, 256)];
        }

        var length = NginxPath.Normalise(path, _scratch, mergeSlashes);
        return _scratch.AsSpan(0, Math.Max(length, 0));
    }
}
