using System.Security.Cryptography;
using System.Text;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.MatrixApp;

/// <summary>What the application saw of a request.</summary>
internal sealed record Seen(
    string Method,
    string Scheme,
    string Host,
    string PathBase,
    string Path,
    string Query,
    string Target,
    string? Client,
    string? ForwardedFor,
    string? Certificate,
    string ConnectionId,
    string Link,
    IReadOnlyDictionary<string, string[]> Headers,
    IReadOnlyDictionary<string, string> Cookies,
    long? Length,
    long BodyLength,
    string BodyHash)
{
    public static async Task<Seen> ByAsync(HttpRequest request)
    {
        var context = request.HttpContext;
        using var body = new MemoryStream();
        await request.Body.CopyToAsync(body);
        var links = context.RequestServices.GetRequiredService<LinkGenerator>();
        var fastCgi = context.Features.GetRequiredFeature<IFastCgiRequestFeature>();
        var forwardedFor = fastCgi.TryGetParameter("HTTP_X_FORWARDED_FOR", out var value)
            ? Encoding.UTF8.GetString(value)
            : null;
        return new Seen(
            request.Method,
            request.Scheme,
            request.Host.Value ?? "",
            request.PathBase.Value ?? "",
            request.Path.Value ?? "",
            request.QueryString.Value ?? "",
            context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget,
            context.Connection.RemoteIpAddress?.ToString(),
            forwardedFor,
            context.Connection.ClientCertificate?.Subject,
            fastCgi.ConnectionId,
            links.GetPathByName(context, "home") ?? "",
            request.Headers.ToDictionary(header => header.Key, header => header.Value.Select(line => line ?? "").ToArray()),
            request.Cookies.ToDictionary(),
            request.ContentLength,
            body.Length,
            Convert.ToHexString(SHA256.HashData(body.GetBuffer().AsSpan(0, (int)body.Length))));
    }
}
