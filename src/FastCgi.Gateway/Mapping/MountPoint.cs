using Microsoft.AspNetCore.Routing.Patterns;

namespace FastCgi.Gateway.Mapping;

/// <summary>The path at which an application is mounted: the part of its route before the catch-all.</summary>
internal static class MountPoint
{
    /// <summary>Splits the path of the request there. The rest is empty, or has a leading slash.</summary>
    public static (string Mount, string Path) Split(HttpContext context)
    {
        string path = context.Request.Path.Value ?? "";
        int end = 0;
        for (int segments = SegmentsOf(context.GetEndpoint()); segments > 0 && end < path.Length; segments--)
        {
            int slash = path.IndexOf('/', end + 1);
            end = slash < 0 ? path.Length : slash;
        }

        return (path[..end], path[end..]);
    }

    /// <summary>0 without a catch-all: such a route names documents, not a mount point.</summary>
    private static int SegmentsOf(Endpoint? endpoint) =>
        endpoint is RouteEndpoint { RoutePattern.PathSegments: { Count: > 0 } segments }
        && segments[^1].Parts is [RoutePatternParameterPart { IsCatchAll: true }]
            ? segments.Count - 1
            : 0;
}
