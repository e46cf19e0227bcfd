using System.Globalization;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.WebServerTests.Equality;

/// <summary>What an application saw of a request.</summary>
internal sealed class Observation
{
    public Observation(HttpContext context)
    {
        var request = context.Request;
        var url = $"{request.Scheme}://{request.Host}{request.PathBase.Value}{request.Path.Value}{request.QueryString}";
        Summary = $"{request.Method} {url}";
        var canHaveBody = context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody;
        List<(string, string)> values =
        [
            ("method", request.Method),
            ("scheme", request.Scheme),
            ("host", request.Host.Value ?? ""),
            ("path base", request.PathBase.Value ?? ""),
            ("path", request.Path.Value ?? ""),
            ("query", request.QueryString.Value ?? ""),
            ("target", context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget),
            ("protocol", request.Protocol),
            ("client address", context.Connection.RemoteIpAddress?.ToString() ?? "none"),
            ("client port", context.Connection.RemotePort == 0 ? "none" : "some"),
            ("length", request.ContentLength?.ToString(CultureInfo.InvariantCulture) ?? "none"),
            ("can have a body", $"{canHaveBody}"),
            .. request.Headers.Select(header => ($"header {header.Key}", string.Join(" | ", [.. header.Value]))),
        ];
        Values = values;
    }

    /// <summary>The request in a line.</summary>
    public string Summary { get; }

    public IReadOnlyList<(string Name, string Value)> Values { get; }
}
