using FastCgi.AspNetCore.Cgi;
using FastCgi.Gateway.Documents;
using FastCgi.Gateway.Forwarding;

namespace FastCgi.Gateway.Mapping;

/// <summary>One application of a route: sends its files directly and forwards all other requests.</summary>
internal sealed class MappedApplication(RequestForwarder forwarder, DocumentTree? tree, StaticDocuments? files)
{
    public Task InvokeAsync(HttpContext context)
    {
        (string mount, string rest) = MountPoint.Split(context);
        string pathBase = context.Request.PathBase.Value + mount;
        if (tree is null)
        {
            return forwarder.ForwardAsync(context, new ForwardedPlace(pathBase, rest, Script: null));
        }

        DocumentMatch match = tree.Find(rest);
        switch (match.Kind)
        {
            case DocumentKind.Script:
                return forwarder.ForwardAsync(context, new ForwardedPlace(pathBase, rest, match.Path));
            case DocumentKind.File when files is not null && !tree.IsSource(match.Path):
                return forwarder.SendFileAsync(context, context => files.SendAsync(context, match.Path));
            case DocumentKind.DirectoryWithoutSlash:
                RedirectToSlash(context, pathBase + rest);
                break;
            case DocumentKind.DirectoryWithoutIndex:
                context.Response.StatusCode = StatusCodes.Status403Forbidden;
                break;
            default:
                context.Response.StatusCode = StatusCodes.Status404NotFound;
                break;
        }

        return Task.CompletedTask;
    }

    /// <summary>The path is that of a directory, so it begins with one slash and leads to no other host.</summary>
    private static void RedirectToSlash(HttpContext context, string path)
    {
        context.Response.StatusCode = StatusCodes.Status301MovedPermanently;
        string query = context.Request.QueryString.Value is { Length: > 1 } some ? some : "";
        context.Response.Headers.Location = PathEncoder.Encode(new PathString($"{path}/")) + query;
    }
}
