using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Net.Http.Headers;

namespace FastCgi.Gateway.Documents;

/// <summary>
/// Sends files that an application names in its response: with a URI prefix in X-Accel-Redirect, as nginx does for an
/// internal location, or with their path in X-Sendfile.
/// </summary>
internal sealed class InternalFiles
{
    private const string XAccelRedirect = "X-Accel-Redirect";
    private const string XSendfile = "X-Sendfile";

    /// <summary>The headers that describe the body of the application's response, not the file.</summary>
    private static readonly string[] s_replaced =
    [
        HeaderNames.ContentLength, HeaderNames.ContentEncoding, HeaderNames.ETag, HeaderNames.LastModified,
        HeaderNames.AcceptRanges,
    ];

    /// <summary>The longest prefix comes first, as nginx prefers it.</summary>
    private readonly (string Prefix, string Directory, RequestDelegate Send)[] _directories;

    /// <exception cref="ArgumentException">A prefix has no slash at an end, or a path is not absolute.</exception>
    /// <exception cref="DirectoryNotFoundException">A directory does not exist.</exception>
    public InternalFiles(
        IEndpointRouteBuilder endpoints,
        IDictionary<string, string> directories,
        IDictionary<string, string> contentTypes) =>
        _directories = [.. directories.OrderByDescending(static pair => pair.Key.Length).Select(pair => (
            pair.Key,
            pair.Value.TrimEnd('/') + '/',
            SenderOf(endpoints, pair.Key, pair.Value, contentTypes)))];

    /// <summary>True for a header that names a file. The client never gets it.</summary>
    public static bool IsNamedBy(string header) =>
        header.Equals(XAccelRedirect, StringComparison.OrdinalIgnoreCase)
        || header.Equals(XSendfile, StringComparison.OrdinalIgnoreCase);

    /// <summary>Sends the file instead of the application's body. Null if it is in none of the directories.</summary>
    public RequestDelegate? Find(string header, string value)
    {
        bool isPath = header.Equals(XSendfile, StringComparison.OrdinalIgnoreCase);
        string named = isPath ? value : value.Split('?', 2)[0];
        string name = Uri.UnescapeDataString(Encoding.UTF8.GetString(Encoding.Latin1.GetBytes(named)));
        foreach ((string prefix, string directory, RequestDelegate send) in _directories)
        {
            string place = isPath ? directory : prefix;
            if (name.StartsWith(place, StringComparison.Ordinal))
            {
                return context => SendAsync(context, name[(place.Length - 1)..], send);
            }
        }

        return null;
    }

    private static RequestDelegate SenderOf(
        IEndpointRouteBuilder endpoints, string prefix, string directory, IDictionary<string, string> contentTypes)
    {
        if (prefix is not ['/', .., '/'] || !Path.IsPathRooted(directory))
        {
            throw new ArgumentException(
                $"InternalFiles has '{prefix}' for '{directory}'. Write it like '/protected/' for '/srv/files'.");
        }

        if (!Directory.Exists(directory))
        {
            throw new DirectoryNotFoundException(
                $"The directory '{directory}' of InternalFiles does not exist, or this process may not enter it.");
        }

        IApplicationBuilder pipeline = endpoints.CreateApplicationBuilder();
        pipeline.UseStaticFiles(new StaticFileOptions
        {
            FileProvider = new LinkedFileProvider(directory),
            ContentTypeProvider = new FileExtensionContentTypeProvider(contentTypes),
            ServeUnknownFileTypes = true,
            DefaultContentType = "application/octet-stream",
            OnPrepareResponse = static file =>
            {
                if (file.Context.Items[typeof(InternalFiles)] is string type)
                {
                    file.Context.Response.ContentType = type;
                }
            },
        });
        return pipeline.Build();
    }

    /// <summary>Keeps the application's headers, including Content-Type. The file is read as by GET.</summary>
    private static async Task SendAsync(HttpContext context, string path, RequestDelegate send)
    {
        HttpRequest request = context.Request;
        (string method, PathString before, Endpoint? endpoint) = (request.Method, request.Path, context.GetEndpoint());
        context.Features.GetRequiredFeature<IHttpResponseFeature>().ReasonPhrase = null;
        context.Response.StatusCode = StatusCodes.Status200OK;
        Array.ForEach(s_replaced, name => context.Response.Headers.Remove(name));
        try
        {
            request.Method = HttpMethods.IsHead(method) ? method : HttpMethods.Get;
            request.Path = new PathString(path);
            context.SetEndpoint(null);
            context.Items[typeof(InternalFiles)] = context.Response.ContentType;
            await send(context).ConfigureAwait(false);
        }
        finally
        {
            request.Method = method;
            request.Path = before;
            context.SetEndpoint(endpoint);
            context.Items.Remove(typeof(InternalFiles));
        }
    }
}
