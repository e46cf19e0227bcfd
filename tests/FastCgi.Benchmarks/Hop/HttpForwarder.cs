using System.Net;
using System.Net.Sockets;

namespace FastCgi.Benchmarks.Hop;

/// <summary>
/// A forwarder as one writes it with HttpClient: it streams both ways, leaves out the headers of the hop, and names the
/// client in X-Forwarded headers.
/// </summary>
internal sealed class HttpForwarder : IDisposable
{
    private static readonly HashSet<string> s_hopByHop = new(StringComparer.OrdinalIgnoreCase)
    {
        "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    };

    private readonly HttpMessageInvoker _client;

    public HttpForwarder(string socket, bool keepConnections)
    {
        var endPoint = new UnixDomainSocketEndPoint(socket);
        _client = new HttpMessageInvoker(new SocketsHttpHandler
        {
            UseProxy = false,
            UseCookies = false,
            AllowAutoRedirect = false,
            ActivityHeadersPropagator = null,
            PooledConnectionLifetime = keepConnections ? Timeout.InfiniteTimeSpan : TimeSpan.Zero,
            ConnectCallback = async (_, cancellationToken) =>
            {
                var connection = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await connection.ConnectAsync(endPoint, cancellationToken);
                return new NetworkStream(connection, ownsSocket: true);
            },
        });
    }

    public async Task ForwardAsync(HttpContext context)
    {
        using var request = CreateRequest(context);
        using var response = await _client.SendAsync(request, context.RequestAborted);
        context.Response.StatusCode = (int)response.StatusCode;
        foreach (var (name, values) in response.Headers.NonValidated.Concat(response.Content.Headers.NonValidated))
        {
            if (!s_hopByHop.Contains(name))
            {
                context.Response.Headers[name] = values.Count == 1 ? values.ToString() : values.ToArray();
            }
        }

        await response.Content.CopyToAsync(context.Response.Body, context.RequestAborted);
    }

    public void Dispose() => _client.Dispose();

    private static HttpRequestMessage CreateRequest(HttpContext context)
    {
        var request = context.Request;
        var message = new HttpRequestMessage(
            HttpMethod.Parse(request.Method), $"http://localhost{request.Path}{request.QueryString}")
        {
            Version = HttpVersion.Version11,
            Content = request.ContentLength is > 0 || request.Headers.TransferEncoding.Count > 0
                ? new StreamContent(request.Body)
                : null,
        };
        foreach (var (name, values) in request.Headers)
        {
            if (!s_hopByHop.Contains(name) && !message.Headers.TryAddWithoutValidation(name, values.AsEnumerable()))
            {
                message.Content?.Headers.TryAddWithoutValidation(name, values.AsEnumerable());
            }
        }

        message.Headers.TryAddWithoutValidation("X-Forwarded-For", context.Connection.RemoteIpAddress?.ToString());
        message.Headers.TryAddWithoutValidation("X-Forwarded-Proto", request.Scheme);
        return message;
    }
}
