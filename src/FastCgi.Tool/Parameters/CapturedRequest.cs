using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Extensions;

namespace FastCgi.Tool.Parameters;

/// <summary>A request as the web server sent it, and what ASP.NET Core makes of it.</summary>
/// <param name="Protocol">FastCGI or SCGI, with the id and the flag of the request.</param>
/// <param name="Parameters">In the order in which they came; a name may come twice.</param>
/// <param name="Seen">What an application sees, by the name of the property.</param>
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

    /// <summary>The last value of a name, as the server takes it; null if it was not sent.</summary>
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
