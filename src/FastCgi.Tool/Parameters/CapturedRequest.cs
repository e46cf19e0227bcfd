using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Extensions;

namespace FastCgi.Tool.Parameters;

/// <summary>A request as the web server sent it, and as ASP.NET Core shows it.</summary>
/// <param name="Protocol">FastCGI or SCGI, with the request's id and flag.</param>
/// <param name="Parameters">The params in the order of arrival; a name may be repeated.</param>
/// <param name="Seen">The values that an application sees, by property name.</param>
/// <param name="BodyLength">Bytes of the body.</param>
internal sealed record CapturedRequest(
    string Protocol,
    IReadOnlyList<KeyValuePair<string, string>> Parameters,
    IReadOnlyList<KeyValuePair<string, string>> Seen,
    long BodyLength)
{
    public static async Task<CapturedRequest> ReadAsync(HttpContext context)
    {
        IFastCgiRequestFeature feature = context.Features.Get<IFastCgiRequestFeature>()!;
        List<KeyValuePair<string, string>> parameters = [.. ReadParameters(feature)];
        HttpRequest request = context.Request;
        KeyValuePair<string, string>[] seen =
        [
            new("Request.Method", request.Method),
            new("Request.GetDisplayUrl()", request.GetDisplayUrl()),
            new("Request.Scheme", request.Scheme),
            new("Request.Host", request.Host.Value ?? ""),
            new("Request.PathBase", request.PathBase.Value ?? ""),
            new("Request.Path", request.Path.Value ?? ""),
            new("Request.QueryString", request.QueryString.Value ?? ""),
            new("Request.Protocol", request.Protocol),
            new("Connection.RemoteIpAddress", $"{context.Connection.RemoteIpAddress}"),
            new("Connection.LocalPort", $"{context.Connection.LocalPort}"),
        ];
        long length = 0;
        byte[] buffer = new byte[16 * 1024];
        while (await request.Body.ReadAsync(buffer, context.RequestAborted) is > 0 and var count)
        {
            length += count;
        }

        string protocol = feature.Protocol == FastCgiEndpointProtocol.Scgi
            ? "SCGI"
            : $"FastCGI, {feature.Role}, id {feature.RequestId}, " +
            $"{(feature.KeepConnection ? "keeps" : "closes")} the connection";
        return new CapturedRequest(protocol, parameters, seen, length);
    }

    /// <summary>The last value of a name, which the server uses; null if it was not sent.</summary>
    public string? Find(string name) => Parameters.LastOrDefault(parameter => parameter.Key == name).Value;

    private static IEnumerable<KeyValuePair<string, string>> ReadParameters(IFastCgiRequestFeature feature)
    {
        for (int i = 0; i < feature.ParameterCount; i++)
        {
            yield return new(
                Encoding.UTF8.GetString(feature.GetParameterName(i)), Encoding.UTF8.GetString(
                    feature.GetParameterValue(i)));
        }
    }
}
