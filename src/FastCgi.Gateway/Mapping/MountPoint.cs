using Microsoft.AspNetCore.Routing.Patterns;

namespace FastCgi.Gateway.Mapping;

/// <summary>The path at which an application is mounted: what its route has in front of the catch-all.</summary>
internal static class MountPoint
{
    /// <summary>Cuts the path of the request there. The rest is empty, or has a slash in front.</summary>
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

    /// <summary>Without a catch-all a route names documents, and no place to mount them.</summary>
    private static int SegmentsOf(Endpoint? endpoint) =>
        endpoint is RouteEndpoint { RoutePattern.PathSegments: { Count: > 0 } segments }
        && segments[^1].Parts is [RoutePatternParameterPart { IsCatchAll: true }]
            ? segments.Count - 1
            : 0;
}
