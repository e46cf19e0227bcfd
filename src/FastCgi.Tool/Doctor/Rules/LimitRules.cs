namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Sizes of nginx that are too small for what the application sends or accepts.</summary>
internal static class LimitRules
{
    /// <summary>nginx's default on most systems: one page of memory.</summary>
    private const long DefaultHeadBuffer = 4096;

    /// <summary>Room for a cookie that ASP.NET Core splits into pieces.</summary>
    private const long AmpleHeadBuffer = 16 * 1024;

    /// <summary>nginx's default of client_max_body_size.</summary>
    private const long DefaultBody = 1024 * 1024;

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        NginxDirective? buffer = point.Find("buffer_size");
        long size = buffer is null ? DefaultHeadBuffer : NginxScope.ParseSize(buffer.Argument(0)) ?? DefaultHeadBuffer;
        int head = point.Addresses
            .Select(named => context.Applications.GetValueOrDefault(point.EndpointOf(named.Address))?.HeadLength ?? 0)
            .DefaultIfEmpty().Max();
        bool isUnknown = buffer is null && point.Scope.IsIncomplete;
        bool isShort = point.IsAspNetCore && !point.IsInternal ? size <= DefaultHeadBuffer : size < DefaultHeadBuffer;
        if (head > size || (isShort && !isUnknown))
        {
            yield return new Finding(
                "head-buffer",
                (buffer ?? point.Pass).Place,
                head > size
                    ? $"the response head of the application has {head} bytes, and nginx takes {size}: the request " +
                    "is a 502."
                    : $"nginx takes response heads of {size} bytes; a cookie of ASP.NET Core can be longer, which " +
                    "is a 502.",
                $"Write {point.Directive("buffer_size")} 32k; and {point.Directive("buffers")} 16 32k;");
        }
        else if (point.IsAspNetCore && !isUnknown && !point.IsInternal && size < AmpleHeadBuffer)
        {
            yield return new Finding(
                "head-buffer",
                (buffer ?? point.Pass).Place,
                $"nginx takes response heads of {size} bytes; a sign-in by an external provider can be longer.",
                $"Write {point.Directive("buffer_size")} 32k; and {point.Directive("buffers")} 16 32k;")
            {
                IsHint = true,
            };
        }

        NginxDirective? body = point.Scope.Find("client_max_body_size");
        long limit = body is null ? DefaultBody : NginxScope.ParseSize(body.Argument(0)) ?? DefaultBody;
        bool isUnlimited = context.MaxRequestBodySize is { Bytes: null };
        if (limit == 0 && !isUnlimited && point.Find("request_buffering")?.Argument(0) != "off")
        {
            yield return new Finding(
                "body-limit",
                body!.Place,
                "nginx takes a body of any length, and stores it on its disk before the application can refuse it.",
                "Write client_max_body_size with as much as the application takes: " +
                (context.MaxRequestBodySize?.Bytes is { } known
                    ? $"{known}."
                    : "its Limits:MaxRequestBodySize, which is 30000000 by default."));
        }
        else if (context.MaxRequestBodySize is { } own && limit != 0 && limit < (own.Bytes ?? long.MaxValue)
            && !(body is null && point.Scope.IsIncomplete))
        {
            yield return new Finding(
                "body-limit",
                (body ?? point.Pass).Place,
                $"nginx refuses bodies above {limit} bytes{(body is null ? " by default" : "")} with 413, and the " +
                $"application takes {own.Bytes?.ToString(CultureInfo.InvariantCulture) ?? "bodies of any length"} " +
                "(Limits:MaxRequestBodySize).",
                string.Create(CultureInfo.InvariantCulture, $"Write client_max_body_size {own.Bytes ?? 0};"));
        }
    }
}
