using System.Buffers;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The target of a request and its parts. The strings are kept while the target stays the same.</summary>
internal sealed partial class RequestTarget(FastCgiServerOptions options)
{
    private static readonly SearchValues<byte> _schemeCharacters = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."u8);

    private readonly Composition _rooted = new();
    private byte[] _scratch = [];

    /// <summary>
    /// The path and query as the client sent them, without scheme, authority and fragment; or <c>*</c>. After an
    /// internal redirect, those that the web server asks for.
    /// </summary>
    public string RawTarget { get; private set; } = "";

    /// <summary>The decoded path; empty for <c>*</c>.</summary>
    public string Path { get; private set; } = "";

    /// <summary>The raw query string with its question mark; may be empty.</summary>
    public string QueryString { get; private set; } = "";

    /// <summary>The host of an absolute target, otherwise null.</summary>
    public string? Authority { get; private set; }

    /// <summary>
    /// Finds the target among the params and splits it. Returns null on success. A target of more than
    /// <paramref name="most"/> bytes is rejected.
    /// </summary>
    public CgiRejection? Read(CgiParams @params, int most, bool isAuthorizer)
    {
        var target = Select(@params, isAuthorizer);
        if (target.IsEmpty)
        {
            return !@params.Has(KnownParam.RequestUri) && !@params.Has(KnownParam.UnencodedUrl)
                ? CgiRejection.MissingTarget
                : isAuthorizer ? CgiRejection.UndecidedPath : CgiRejection.UnlocatedTarget;
        }

        if (target.Length > most)
        {
            return CgiRejection.TargetTooLong;
        }

        Authority = null;

        // Only plain targets are kept, so a target that is equal to the kept one needs no further check.
        var isKept = !options.DisableStringReuse && target.Length == RawTarget.Length && target[0] == '/'
            && Ascii.Equals(target, RawTarget);
        return (isKept ? null : Parse(ref target)) ?? CheckPath(target, @params, isAuthorizer);
    }

    /// <summary>The target from the best available params; empty if they are missing.</summary>
    private ReadOnlySpan<byte> Select(CgiParams @params, bool isAuthorizer)
    {
        if (options.TargetSource == FastCgiTargetSource.ScriptNameAndPathInfo
            && Compose(@params) is { IsEmpty: false } composed)
        {
            return composed;
        }

        // IIS also sends a REQUEST_URI, but not as the client sent it.
        var requestUri = @params.GetBytes(KnownParam.UnencodedUrl);
        if (requestUri.IsEmpty)
        {
            requestUri = @params.GetBytes(KnownParam.RequestUri);
        }

        return requestUri.IsEmpty ? Compose(@params)
            : options.TargetSource == FastCgiTargetSource.Default ? Follow(@params, requestUri, isAuthorizer)
            : requestUri;
    }

    /// <summary>Splits the target, and leaves the part after the authority.</summary>
    private CgiRejection? Parse(ref ReadOnlySpan<byte> target)
    {
        if (target.SequenceEqual("*"u8))
        {
            RawTarget = "*";
            Path = QueryString = "";
            return null;
        }

        if (target.ContainsAny(CgiRequest.Suspicious) && !CgiRequest.IsText(target))
        {
            return CgiRejection.InvalidTarget;
        }

        if (target[0] != '/')
        {
            target = TakeAuthority(target);
            if (target.IsEmpty)
            {
                return CgiRejection.InvalidTarget;
            }
        }

        var fragment = target.IndexOf((byte)'#');
        var raw = fragment < 0 ? target : target[..fragment];
        var path = WithoutQuery(raw);
        var decoded = DecodePath(ref _scratch, path);
        if (decoded.IsEmpty)
        {
            return CgiRejection.NulInPath;
        }

        RawTarget = Reuse(RawTarget, raw);
        Path = decoded.SequenceEqual(raw) ? RawTarget : Reuse(Path, decoded);
        QueryString = Reuse(QueryString, raw[path.Length..]);
        return null;
    }

    /// <summary>Removes the authority. Returns nothing if the target does not begin with one.</summary>
    private ReadOnlySpan<byte> TakeAuthority(ReadOnlySpan<byte> target)
    {
        if (!TryCutAuthority(target, out var scheme, out var authority, out var rest)
            || scheme.IsEmpty || scheme.ContainsAnyExcept(_schemeCharacters))
        {
            return default;
        }

        authority = authority[(authority.LastIndexOf((byte)'@') + 1)..];
        if (authority.IsEmpty || !HostText.IsValid(authority))
        {
            return default;
        }

        Authority = Encoding.ASCII.GetString(authority);
        return rest is [(byte)'/', ..] ? rest : _rooted.FromRootless(rest);
    }

    /// <summary>
    /// Cuts an absolute target at its authority. False if it has none. <paramref name="rest"/> is empty, or begins with
    /// a slash, a question mark or a number sign.
    /// </summary>
    private static bool TryCutAuthority(
        ReadOnlySpan<byte> target,
        out ReadOnlySpan<byte> scheme,
        out ReadOnlySpan<byte> authority,
        out ReadOnlySpan<byte> rest)
    {
        scheme = authority = rest = default;
        if (target is [(byte)'/', ..] || target.IndexOf("://"u8) is var length && length < 0)
        {
            return false;
        }

        scheme = target[..length];
        authority = target[(length + 3)..];
        if (authority.IndexOfAny("/?#"u8) is >= 0 and var end)
        {
            rest = authority[end..];
            authority = authority[..end];
        }

        return true;
    }

    /// <summary>The path as ASP.NET Core reads it; empty if it has a NUL.</summary>
    private static ReadOnlySpan<byte> DecodePath(ref byte[] buffer, ReadOnlySpan<byte> path)
    {
        if (path.IndexOf((byte)'%') < 0 && path.IndexOf("/."u8) < 0)
        {
            return path;
        }

        var decoded = Buffer(ref buffer, path.Length);
        path.CopyTo(decoded);
        return decoded[..Math.Max(PathDecoder.DecodeInPlace(decoded), 0)];
    }

    private CgiRejection? CheckPath(ReadOnlySpan<byte> target, CgiParams @params, bool isAuthorizer)
    {
        if (Path.Length == 0)
        {
            return null;
        }

        if (isAuthorizer && !IsServed(target, @params))
        {
            return CgiRejection.UndecidedPath;
        }

        return options.RequireNormalizedPath && !IsLocated(target, @params) ? CgiRejection.AmbiguousPath : null;
    }

    private string Reuse(string kept, ReadOnlySpan<byte> bytes) =>
        !options.DisableStringReuse && kept.Length == bytes.Length && Ascii.Equals(bytes, kept)
            ? kept
            : Encoding.UTF8.GetString(bytes);

    /// <summary>Composes a target from params if the web server sent none that can be used directly.</summary>
    private sealed class Composition
    {
        // The characters that a path may contain unescaped (RFC 3986, section 3.3), and the slash.
        private static readonly SearchValues<byte> _pathCharacters = SearchValues.Create(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"u8);

        private byte[] _buffer = [];
        private int _length;

        /// <summary>The composed target. Valid until the next one is composed.</summary>
        public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

        /// <summary>Composes a decoded path, which is escaped again, and a query string.</summary>
        public ReadOnlySpan<byte> FromDecoded(
            ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, ReadOnlySpan<byte> queryString)
        {
            Begin((3 * (first.Length + second.Length + queryString.Length)) + 2);
            var start = first.IsEmpty ? second : first;
            if (start.IsEmpty || start[0] != '/')
            {
                Append("/"u8);
            }

            AppendEscaped(first);
            AppendEscaped(second);
            AppendQuery(queryString);
            return Written;
        }

        /// <summary>Composes an encoded path, or a target without its query, and a query string.</summary>
        public ReadOnlySpan<byte> FromEncoded(ReadOnlySpan<byte> path, ReadOnlySpan<byte> queryString)
        {
            Begin(path.Length + (3 * queryString.Length) + 1);
            Append(path);
            AppendQuery(queryString);
            return Written;
        }

        /// <summary>Composes the part of an absolute URL after its authority; adds a missing slash.</summary>
        public ReadOnlySpan<byte> FromRootless(ReadOnlySpan<byte> rest)
        {
            Begin(rest.Length + 1);
            Append("/"u8);
            Append(rest);
            return Written;
        }

        private void Begin(int capacity)
        {
            _length = 0;
            if (_buffer.Length < capacity)
            {
                _buffer = new byte[capacity];
            }
        }

        private void Append(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(_buffer.AsSpan(_length));
            _length += bytes.Length;
        }

        private void AppendQuery(ReadOnlySpan<byte> queryString)
        {
            if (!queryString.IsEmpty)
            {
                Append("?"u8);

                // A number sign would begin a fragment.
                while (queryString.IndexOf((byte)'#') is >= 0 and var mark)
                {
                    Append(queryString[..mark]);
                    Append("%23"u8);
                    queryString = queryString[(mark + 1)..];
                }

                Append(queryString);
            }
        }

        private void AppendEscaped(ReadOnlySpan<byte> decoded)
        {
            while (!decoded.IsEmpty)
            {
                var plain = decoded.IndexOfAnyExcept(_pathCharacters);
                if (plain < 0)
                {
                    Append(decoded);
                    return;
                }

                Append(decoded[..plain]);
                Append("%"u8);
                Convert.TryToHexString(decoded.Slice(plain, 1), _buffer.AsSpan(_length), out var digits);
                _length += digits;
                decoded = decoded[(plain + 1)..];
            }
        }
    }
}
