namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>The headers of a request, as its features make them.</summary>
internal static class CgiRequestHeaders
{
    extension(CgiRequest request)
    {
        internal RequestHeaderDictionary Headers => new(new CgiRequestLease(request));
    }
}
