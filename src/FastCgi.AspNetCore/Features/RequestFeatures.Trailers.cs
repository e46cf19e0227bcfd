using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// No web server passes request trailers on: they are known to be none from the start.
internal sealed partial class RequestFeatures : IHttpRequestTrailersFeature
{
    private static readonly HeaderDictionary s_noTrailers = new() { IsReadOnly = true };

    bool IHttpRequestTrailersFeature.Available => true;

    IHeaderDictionary IHttpRequestTrailersFeature.Trailers
    {
        get
        {
            ThrowIfOver();
            return s_noTrailers;
        }
    }
}
