using System.Collections;
using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The header fields of a request. Looks them up in the params, and copies them if necessary.</summary>
/// <remarks>
/// Enumerating, counting and changing copy all fields into a dictionary, which is used from then on. In names, hyphen
/// and underscore are always equal, because CGI does not distinguish them.
/// </remarks>
internal sealed class RequestHeaderDictionary(CgiRequestLease request) : IHeaderDictionary
{
    private readonly Func<string, Encoding?>? _encodingSelector = request.Request.HeaderEncodingSelector;
    private Dictionary<string, StringValues>? _copy;

    public StringValues this[string key]
    {
        get => TryGetValue(key, out var value) ? value : StringValues.Empty;
        set
        {
            ArgumentNullException.ThrowIfNull(key);
            var copy = Copy();
            if (value.Count == 0)
            {
                copy.Remove(key);
            }
            else
            {
                copy[key] = value;
            }
        }
    }

    public long? ContentLength
    {
        get
        {
            if (_copy is null)
            {
                return request.Read(static cgi => cgi.ContentLengthHeader);
            }

            return _copy.TryGetValue("Content-Length", out var text)
                && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var length)
                ? length
                : null;
        }

        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value.GetValueOrDefault(), nameof(value));
            this["Content-Length"] = value?.ToString(CultureInfo.InvariantCulture);
        }
    }

    public int Count => Copy().Count;

    public bool IsReadOnly => false;

    public ICollection<string> Keys => Copy().Keys;

    public ICollection<StringValues> Values => Copy().Values;

    public bool TryGetValue(string key, out StringValues value)
    {
        if (_copy is not null)
        {
            request.ThrowIfOver();
            return _copy.TryGetValue(key, out value);
        }

        ArgumentNullException.ThrowIfNull(key);
        value = request.Read(
            static (cgi, look) => ParamNames.TryGetParam(look.Key, out var param)
                ? GetKnown(cgi, param, ParamNames.HeaderOf(param)!, look.Selector)
                : cgi.Params.GetHeader(look.Key, look.Selector?.Invoke(HeaderNameText.Restore(look.Key))),
            (Key: key, Selector: _encodingSelector));
        return value.Count > 0;
    }

    public bool ContainsKey(string key) => TryGetValue(key, out _);

    public void Add(string key, StringValues value) => Copy().Add(key, value);

    public bool Remove(string key) => Copy().Remove(key);

    public void Clear()
    {
        request.ThrowIfOver();
        _copy = new Dictionary<string, StringValues>(NameComparer.Instance);
    }

    public IEnumerator<KeyValuePair<string, StringValues>> GetEnumerator() => Copy().GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<KeyValuePair<string, StringValues>>.Add(KeyValuePair<string, StringValues> item) =>
        Add(item.Key, item.Value);

    bool ICollection<KeyValuePair<string, StringValues>>.Contains(KeyValuePair<string, StringValues> item) =>
        TryGetValue(item.Key, out var value) && value == item.Value;

    void ICollection<KeyValuePair<string, StringValues>>.CopyTo(
        KeyValuePair<string, StringValues>[] array, int index) =>
        ((ICollection<KeyValuePair<string, StringValues>>)Copy()).CopyTo(array, index);

    bool ICollection<KeyValuePair<string, StringValues>>.Remove(KeyValuePair<string, StringValues> item) =>
        ((ICollection<KeyValuePair<string, StringValues>>)Copy()).Remove(item);

    private Dictionary<string, StringValues> Copy()
    {
        request.ThrowIfOver();
        return _copy ??= request.Read(CopyOf, _encodingSelector);
    }

    private static Dictionary<string, StringValues> CopyOf(CgiRequest cgi, Func<string, Encoding?>? selector)
    {
        var copy = new Dictionary<string, StringValues>(NameComparer.Instance);
        for (var param = KnownParam.None + 1; (int)param < ParamNames.ParamCount; param++)
        {
            if (ParamNames.HeaderOf(param) is { } name && GetKnown(cgi, param, name, selector) is { Count: > 0 } value)
            {
                copy.Add(name, value);
            }
        }

        cgi.Params.CopyOtherHeadersTo(copy, selector);
        return copy;
    }

    private static StringValues GetKnown(
        CgiRequest request, KnownParam param, string name, Func<string, Encoding?>? selector)
    {
        var @params = request.Params;
        switch (param)
        {
            case KnownParam.ContentLength:
                return request.ContentLengthHeader is null ? default(StringValues) : @params.GetString(param);
            case KnownParam.ContentType when request.HasInventedContentType:
                return default;
            case KnownParam.HttpHost:
                return request.Host;
            case KnownParam.HttpConnection when request.IsUpgradable:
                break;
            case >= KnownParam.HttpForwarded and <= KnownParam.HttpXForwardedPrefix when request.HasForwardingHeader:
            case KnownParam.HttpProxy:
                // It would be taken for the proxy of outgoing requests (httpoxy).
            case KnownParam.HttpConnection:
            case KnownParam.HttpKeepAlive:
            case KnownParam.HttpTe:
            case KnownParam.HttpExpect:
                // Only meant for the connection between client and web server (RFC 9110, section 7.6.1).
                return default;
            case KnownParam.HttpTransferEncoding when request.IsBodiless || request.ContentLength is not null:
                return default;
        }

        var encoding = selector?.Invoke(name);
        if (param == KnownParam.ContentType)
        {
            return @params.GetString(param, encoding);
        }

        var lines = @params.GetHeader(param, encoding);
        return param switch
        {
            KnownParam.HttpCookie when lines.Count > 1 => ParamNames.JoinLines(param, lines),
            KnownParam.HttpAuthorization when lines.Count == 0 =>
                @params.GetString(KnownParam.RedirectHttpAuthorization, encoding),
            _ => lines,
        };
    }

    /// <summary>Compares header names as CGI does: case does not matter, and an underscore equals a hyphen.</summary>
    private sealed class NameComparer : IEqualityComparer<string>
    {
        public static readonly NameComparer Instance = new();

        public bool Equals(string? x, string? y) => string.Equals(
            HeaderNameText.WithHyphens(x), HeaderNameText.WithHyphens(y), StringComparison.OrdinalIgnoreCase);

        public int GetHashCode(string obj) =>
            HeaderNameText.WithHyphens(obj).GetHashCode(StringComparison.OrdinalIgnoreCase);
    }
}
