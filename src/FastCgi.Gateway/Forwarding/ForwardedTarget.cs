using System.Text;
using FastCgi.AspNetCore.Cgi;

namespace FastCgi.Gateway.Forwarding;

/// <summary>The request target as the client sent it, as path and query (RFC 9112, section 3.2).</summary>
internal static class ForwardedTarget
{
    public static string Of(HttpContext context)
    {
        string raw = context.Features.Get<IHttpRequestFeature>()?.RawTarget ?? "";
        if (raw is ['/', ..] or "*")
        {
            return raw;
        }

        int scheme = raw.IndexOf("://", StringComparison.Ordinal);
        return scheme > 0 ? WithoutAuthority(raw.AsSpan(scheme + 3)) : Built(context.Request);
    }

    public static string ForLog(HttpContext context) => ForLog(Of(context));

    /// <summary>The path alone, since queries have tokens: escaped and cut, so that it is harmless in a log.</summary>
    public static string ForLog(string target) =>
        RejectedValue.Escape(Encoding.UTF8.GetBytes(target.Split('?', 2)[0]));

    /// <summary>True: the query of the request is the one of its target.</summary>
    public static bool HasQuery(HttpContext context, out string query)
    {
        query = context.Request.QueryString.Value is ['?', .. var rest] ? rest : "";
        string target = Of(context);
        int start = target.IndexOf('?', StringComparison.Ordinal);
        return target.AsSpan(start < 0 ? target.Length : start + 1).SequenceEqual(query);
    }

    /// <summary>True: the path of the request is the one of its target, which has nothing to decode.</summary>
    public static bool HasPath(HttpContext context, string pathBase, string path)
    {
        string target = Of(context);
        int end = target.IndexOf('?', StringComparison.Ordinal);
        ReadOnlySpan<char> raw = end < 0 ? target : target.AsSpan(0, end);
        return !raw.Contains('%') && raw.Length == pathBase.Length + path.Length
            && raw.StartsWith(pathBase, StringComparison.Ordinal) && raw.EndsWith(path, StringComparison.Ordinal);
    }

    /// <summary>The absolute form names scheme and authority first.</summary>
    private static string WithoutAuthority(ReadOnlySpan<char> rest)
    {
        int end = rest.IndexOfAny('/', '?');
        return end < 0 ? "/"
            : rest[end] == '/' ? rest[end..].ToString()
            : $"/{rest[end..]}";
    }

    /// <summary>Not every server keeps the target, and CONNECT has none.</summary>
    private static string Built(HttpRequest request) =>
        PathEncoder.Encode(request.PathBase + request.Path) is { Length: > 0 } path
            ? path + request.QueryString.ToUriComponent()
            : "/" + request.QueryString.ToUriComponent();
}
