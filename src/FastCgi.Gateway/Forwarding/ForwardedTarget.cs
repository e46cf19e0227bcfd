using System.Text;
using FastCgi.AspNetCore.Cgi;

namespace FastCgi.Gateway.Forwarding;

/// <summary>The request target as the client sent it, as path and query (RFC 9112, section 3.2).</summary>
/// <remarks>
/// Kestrel takes a number sign before the query for a part of the path. In an absolute target it drops what is between
/// them. Routes have judged that path, so an application must find no other one in the target.
/// </remarks>
internal static class ForwardedTarget
{
    public static string Of(HttpContext context)
    {
        string raw = context.Features.Get<IHttpRequestFeature>()?.RawTarget ?? "";
        if (raw is ['/', ..] or "*")
        {
            return WithEscapedNumberSigns(raw);
        }

        int scheme = raw.IndexOf("://", StringComparison.Ordinal);
        return scheme > 0 ? WithoutAuthority(raw[(scheme + 3)..]) : Built(context.Request);
    }

    public static string ForLog(HttpContext context) => ForLog(Of(context));

    /// <summary>The path only, because queries may contain tokens: escaped and shortened for a log.</summary>
    public static string ForLog(string target) =>
        RejectedValue.Escape(Encoding.UTF8.GetBytes(target.Split('?', 2)[0]));

    /// <summary>True if the query of the request is that of its target.</summary>
    public static bool HasQuery(HttpContext context, out string query)
    {
        query = context.Request.QueryString.Value is ['?', .. var rest] ? rest : "";
        string target = Of(context);
        int start = target.IndexOf('?', StringComparison.Ordinal);
        return target.AsSpan(start < 0 ? target.Length : start + 1).SequenceEqual(query);
    }

    /// <summary>True if the path of the request is that of its target, which has nothing to decode.</summary>
    public static bool HasPath(HttpContext context, string pathBase, string path)
    {
        string target = Of(context);
        int end = target.IndexOf('?', StringComparison.Ordinal);
        ReadOnlySpan<char> raw = end < 0 ? target : target.AsSpan(0, end);
        return !raw.Contains('%') && raw.Length == pathBase.Length + path.Length
            && raw.StartsWith(pathBase, StringComparison.Ordinal) && raw.EndsWith(path, StringComparison.Ordinal);
    }

    private static string WithEscapedNumberSigns(string target)
    {
        if (!target.Contains('#', StringComparison.Ordinal))
        {
            return target;
        }

        string[] parts = target.Split('?', 2);
        parts[0] = parts[0].Replace("#", "%23", StringComparison.Ordinal);
        return string.Join('?', parts);
    }

    /// <summary>Removes the authority of an absolute target; its scheme is already removed.</summary>
    private static string WithoutAuthority(string rest)
    {
        string[] parts = rest.Split('?', 2);
        string path = parts[0].Split('#', 2)[0];
        int start = path.IndexOf('/', StringComparison.Ordinal);
        parts[0] = start < 0 ? "/" : path[start..];
        return string.Join('?', parts);
    }

    /// <summary>Builds a target, because some servers do not keep it, and CONNECT has none.</summary>
    private static string Built(HttpRequest request) =>
        PathEncoder.Encode(request.PathBase + request.Path) is { Length: > 0 } path
            ? path + request.QueryString.ToUriComponent()
            : "/" + request.QueryString.ToUriComponent();
}
