namespace FastCgi.AspNetCore.Cgi;

// The target that the web server asks for. After an internal redirect (an error document, a rewrite, an include, a
// permission check) it differs from the client's target. REQUEST_URI is still the client's, so another param decides.
// Otherwise a refused page would be served: the web server asks for /errors/403, and REQUEST_URI is /admin. The params
// count whatever the name of the web server is.
internal sealed partial class RequestTarget
{
    private readonly Composition _redirected = new();
    private byte[] _located = [];
    private string _originalPath = "";

    /// <summary>The client's normalised path if the web server asks for another one; otherwise null.</summary>
    public string? OriginalPath { get; private set; }

    /// <summary>
    /// The target that the web server asks for: REQUEST_URI if path and query are still the client's, otherwise
    /// composed of the params that the web server changes. Empty if none of them came and, for an authorizer, if the
    /// requested path is ambiguous.
    /// </summary>
    /// <remarks>For an authorizer, the deciding params may be missing.</remarks>
    private ReadOnlySpan<byte> Follow(CgiParams @params, ReadOnlySpan<byte> requestUri, bool isAuthorizer)
    {
        OriginalPath = null;
        if (requestUri.SequenceEqual("*"u8))
        {
            return requestUri;
        }

        var path = PathOf(requestUri);
        var query = @params.GetBytes(KnownParam.QueryString);
        var hasQuery = @params.IsSent(KnownParam.QueryString);
        if (isAuthorizer && TryReadProxied(@params, out var asked))
        {
            if (!IsAskedFor(path, asked)
                || (LeadsElsewhere(path, asked)
                    && LeadsElsewhere(path, DecodePath(ref _located, WithoutQuery(asked)))))
            {
                SetOriginalPath(path);
                return HasOneMeaning(asked) ? _redirected.FromDecoded(asked, default, query) : default;
            }
        }
        else if (TryReadEncoded(@params, out var encoded, out var decoded, out var own))
        {
            if (!own.IsEmpty)
            {
                query = own;
                hasQuery = true;
            }

            if (!IsSpellingOf(path, decoded, default) || LeadsElsewhere(path, DecodePath(ref _located, encoded)))
            {
                SetOriginalPath(path);
                return _redirected.FromEncoded(encoded, query);
            }
        }
        else if (TryLocate(@params, prefersDocumentUri: true, out var first, out var second))
        {
            // Apache alone sends CONTEXT_DOCUMENT_ROOT.
            if (!IsSpellingOf(path, first, second)
                || (@params.IsSent(KnownParam.ContextDocumentRoot) && LeadsElsewhere(path, Join(first, second))))
            {
                SetOriginalPath(path);
                return _redirected.FromDecoded(first, second, query);
            }
        }
        else if (!isAuthorizer)
        {
            return default;
        }
        else if (Normalise(ref _located, path) is var normalised && LeadsElsewhere(path, normalised))
        {
            // lighttpd sends an authorizer no path, and serves the normalised one. Apache may keep escaped slashes.
            var isDecided = !normalised.IsEmpty
                && Normalise(ref _scratch, path, keepEscapedSlashes: true).SequenceEqual(normalised);
            return isDecided ? _redirected.FromDecoded(normalised, default, query) : default;
        }

        return hasQuery ? WithQuery(requestUri, query) : requestUri;
    }

    /// <summary>The target made of the decoded params, escaped again; empty if none of them came.</summary>
    /// <remarks>SCRIPT_NAME and PATH_INFO take precedence over DOCUMENT_URI.</remarks>
    private ReadOnlySpan<byte> Compose(CgiParams @params)
    {
        OriginalPath = null;
        return TryLocate(@params, prefersDocumentUri: false, out var first, out var second)
            ? _redirected.FromDecoded(first, second, @params.GetBytes(KnownParam.QueryString))
            : default;
    }

    /// <summary>REQUEST_URI with the query that the web server asks for, if that is a different one.</summary>
    private ReadOnlySpan<byte> WithQuery(ReadOnlySpan<byte> requestUri, ReadOnlySpan<byte> query)
    {
        var fragment = requestUri.IndexOf((byte)'#');
        var target = fragment < 0 ? requestUri : requestUri[..fragment];
        var own = QueryOf(target);
        // lighttpd writes the escapes of a query in its own way.
        return own.SequenceEqual(query) || NginxPath.DecodeAlike(own, query)
            ? requestUri
            : _redirected.FromEncoded(WithoutQuery(target), query);
    }

    /// <summary>
    /// True if the web server reads the path as the application does, so that an authorizer judges what is served. The
    /// next handler may be a file or PHP: <c>//members</c> and <c>/members%2Fa</c> are below <c>/members</c> for it.
    /// </summary>
    private bool IsServed(ReadOnlySpan<byte> target, CgiParams @params) => TryReadProxied(@params, out var asked)
        ? IsPath(asked) || IsPath(DecodePath(ref _located, WithoutQuery(asked)))
        : IsPath(Normalise(ref _scratch, PathOf(target)));

    private bool IsPath(ReadOnlySpan<byte> decoded) =>
        Ascii.Equals(decoded, Path) || Encoding.UTF8.GetBytes(Path).AsSpan().SequenceEqual(decoded);

    /// <summary>True if the web server chose its location by the decoded path.</summary>
    private bool IsLocated(ReadOnlySpan<byte> target, CgiParams @params)
    {
        var located = IsIncluded(@params) ? default : @params.GetBytes(KnownParam.DocumentUri);
        if (located.IsEmpty)
        {
            // No web server tells what it compared, so the path must be unambiguous.
            var raw = WithoutQuery(target);
            located = NginxPath.HasOneSpelling(raw) ? Normalise(ref _scratch, raw) : default;
        }

        return IsPath(located);
    }

    /// <summary>
    /// The path that the web server asks for, encoded and decoded, and its query if it has one. lighttpd sends
    /// REDIRECT_URI if the path differs from the client's. Apache's proxy modules send SCRIPT_FILENAME,
    /// <c>proxy:fcgi://app/path</c>. With SetHandler that is a file below the context's root.
    /// </summary>
    private bool TryReadEncoded(
        CgiParams @params, out ReadOnlySpan<byte> path, out ReadOnlySpan<byte> decoded, out ReadOnlySpan<byte> query)
    {
        var target = @params.GetBytes(KnownParam.RedirectUri);
        // Apache renames a variable URI of its configuration to REDIRECT_URI. Then it also sends REDIRECT_URL.
        if (!target.IsEmpty && target[0] == (byte)'/' && @params.GetBytes("REDIRECT_URL").IsEmpty)
        {
            path = WithoutQuery(target);
            decoded = Decode(ref _located, path);
            query = QueryOf(target);
            return true;
        }

        query = decoded = default;
        if (!TryReadProxied(@params, out var proxied))
        {
            path = default;
            return false;
        }

        path = PathOf(proxied);
        decoded = Decode(ref _located, path);
        // "proxy:fcgi://app/" in SetHandler adds a slash before that of the file.
        var file = decoded[Math.Max(decoded.IndexOfAnyExcept((byte)'/') - 1, 0)..];
        return !IsBelow(file, @params.GetBytes(KnownParam.ContextDocumentRoot))
            && !IsBelow(file, @params.GetBytes(KnownParam.DocumentRoot));
    }

    /// <summary>The path and the rest of the URL of Apache's proxy modules. False if there is none.</summary>
    private static bool TryReadProxied(CgiParams @params, out ReadOnlySpan<byte> target)
    {
        var file = @params.GetBytes(KnownParam.ScriptFilename);
        target = default;
        if (!file.StartsWith("proxy:"u8) || !TryCutAuthority(file, out _, out _, out var rest))
        {
            return false;
        }

        target = rest is [(byte)'/', ..] ? rest : "/"u8;
        return true;
    }

    /// <summary>True if Apache asks an authorizer about the client's path.</summary>
    /// <remarks>
    /// Apache decodes the path, and encodes it for the responder after the authorizer's answer. With
    /// <c>mapping=encoded</c> it never decodes. With <c>nocanon</c> it includes the query.
    /// </remarks>
    private bool IsAskedFor(ReadOnlySpan<byte> path, ReadOnlySpan<byte> asked) =>
        IsSpellingOf(path, asked, default)
        || IsSpellingOf(path, Decode(ref _located, WithoutQuery(asked)), default);

    /// <summary>True if a path means the same to an authorizer, decoded or not.</summary>
    private bool HasOneMeaning(ReadOnlySpan<byte> asked) =>
        asked.IndexOfAny((byte)'?', (byte)'#') < 0 && Decode(ref _located, asked).SequenceEqual(asked);

    /// <summary>The decoded path that the web server asks for, in one or two parts. False if there is none.</summary>
    private static bool TryLocate(
        CgiParams @params, bool prefersDocumentUri, out ReadOnlySpan<byte> first, out ReadOnlySpan<byte> second)
    {
        first = @params.GetBytes(KnownParam.ScriptName);
        second = @params.GetBytes(KnownParam.PathInfo);
        var document = @params.GetBytes(KnownParam.DocumentUri);
        if (IsIncluded(@params))
        {
            // Apache's mod_include: DOCUMENT_URI is the page around the fragment. SCRIPT_NAME includes the path info.
            second = default;
        }
        else if (!document.IsEmpty && (prefersDocumentUri || (first.IsEmpty && second.IsEmpty)))
        {
            // nginx: the whole path; SCRIPT_NAME may be set to anything. Caddy's "split": only the script.
            second = document.SequenceEqual(first) && !second.SequenceEqual(first) ? second : default;
            first = document;
        }
        else if (first.SequenceEqual(second)
            && @params.GetBytes(KnownParam.ServerSoftware).StartsWith("Microsoft-IIS"u8))
        {
            // IIS sends the whole path in both.
            second = default;
        }

        // Caddy sends all three, and all are empty if it has stripped the whole path.
        return !first.IsEmpty || !second.IsEmpty || @params.IsSent(KnownParam.DocumentUri);
    }

    private static bool IsIncluded(CgiParams @params) =>
        @params.GetBytes(KnownParam.ServerProtocol).SequenceEqual("INCLUDED"u8);

    internal static ReadOnlySpan<byte> WithoutQuery(ReadOnlySpan<byte> target)
    {
        var mark = target.IndexOf((byte)'?');
        return mark < 0 ? target : target[..mark];
    }

    /// <summary>The query of a target without its question mark; may be empty.</summary>
    private static ReadOnlySpan<byte> QueryOf(ReadOnlySpan<byte> target)
    {
        var mark = target.IndexOf((byte)'?');
        return mark < 0 ? default : target[(mark + 1)..];
    }

    private static bool IsBelow(ReadOnlySpan<byte> path, ReadOnlySpan<byte> root)
    {
        root = root.TrimEnd((byte)'/');
        return !root.IsEmpty && path.StartsWith(root) && (path.Length == root.Length || path[root.Length] == (byte)'/');
    }

    /// <summary>The path of a target, which may be absolute; "/" if it has none.</summary>
    private static ReadOnlySpan<byte> PathOf(ReadOnlySpan<byte> target)
    {
        if (TryCutAuthority(target, out _, out _, out var rest))
        {
            target = rest is [(byte)'/', ..] ? rest : "/"u8;
        }

        var end = target.IndexOfAny((byte)'?', (byte)'#');
        return end < 0 ? target : target[..end];
    }

    /// <summary>True if some web server would send the client's path as this decoded path in two parts.</summary>
    private bool IsSpellingOf(ReadOnlySpan<byte> path, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        if (path.Length == first.Length + second.Length && path.IndexOf((byte)'%') < 0
            && path.StartsWith(first) && path.EndsWith(second))
        {
            return true;
        }

        var located = Join(first, second);
        return Normalise(ref _scratch, path).SequenceEqual(located)
            || Normalise(ref _scratch, path, mergeSlashes: false).SequenceEqual(located)
            // Caddy and HAProxy only decode.
            || Decode(ref _scratch, path).SequenceEqual(located)
            // Apache with "AllowEncodedSlashes NoDecode".
            || Normalise(ref _scratch, path, keepEscapedSlashes: true).SequenceEqual(located)
            || Normalise(ref _scratch, path, mergeSlashes: false, keepEscapedSlashes: true).SequenceEqual(located);
    }

    private ReadOnlySpan<byte> Join(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        var joined = Buffer(ref _located, first.Length + second.Length);
        first.CopyTo(joined);
        second.CopyTo(joined[first.Length..]);
        return joined;
    }

    /// <summary>
    /// True if dot segments of the client's path lead ASP.NET Core to another page than the web server, which passes
    /// the normalised path to an HTTP back end. Apache refuses <c>/admin</c> and lets <c>/admin//../a</c> pass as
    /// <c>/a</c>; ASP.NET Core reads <c>/admin/a</c>.
    /// </summary>
    private bool LeadsElsewhere(ReadOnlySpan<byte> path, ReadOnlySpan<byte> located)
    {
        var length = Decode(ref _scratch, path).Length;
        if (PathDecoder.RemoveDotSegments(_scratch.AsSpan(0, length)) == length)
        {
            return false;
        }

        // A path with a NUL is rejected anyway.
        var read = DecodePath(ref _scratch, path);
        return !read.IsEmpty && !read.SequenceEqual(located);
    }

    private static ReadOnlySpan<byte> Decode(ref byte[] buffer, ReadOnlySpan<byte> path)
    {
        var decoded = Buffer(ref buffer, path.Length);
        return decoded[..NginxPath.Decode(path, decoded)];
    }

    private void SetOriginalPath(ReadOnlySpan<byte> path)
    {
        // A target without a leading slash has no path.
        var normalised = path is [(byte)'/', ..] ? Normalise(ref _scratch, path) : default;
        if (_originalPath.Length != normalised.Length || !Ascii.Equals(normalised, _originalPath))
        {
            _originalPath = Encoding.UTF8.GetString(normalised);
        }

        OriginalPath = _originalPath;
    }

    /// <summary>The normalised path; empty if nginx would refuse it.</summary>
    private static ReadOnlySpan<byte> Normalise(
        ref byte[] buffer, ReadOnlySpan<byte> path, bool mergeSlashes = true, bool keepEscapedSlashes = false)
    {
        var length = NginxPath.Normalise(path, Buffer(ref buffer, path.Length), mergeSlashes, keepEscapedSlashes);
        return buffer.AsSpan(0, Math.Max(length, 0));
    }

    private static Span<byte> Buffer(ref byte[] buffer, int length)
    {
        if (buffer.Length < length)
        {
            buffer = new byte[Math.Max(length, 256)];
        }

        return buffer.AsSpan(0, length);
    }
}
