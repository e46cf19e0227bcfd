namespace ShopSample.Hosting;

internal static class SecurityHeaders
{
    /// <summary>Styles, images and forms of this site only, no framing, no guessing of content types.</summary>
    public static IApplicationBuilder UseSecurityHeaders(this IApplicationBuilder app) => app.Use((context, next) =>
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy =
            "default-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'";
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "same-origin";
        return next(context);
    });
}
