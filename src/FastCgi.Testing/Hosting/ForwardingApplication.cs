using System.Buffers;
using FastCgi.AspNetCore.Cgi;
using FastCgi.Client;
using FastCgi.Testing.Requests;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace FastCgi.Testing.Hosting;

/// <summary>Sends every request of TestServer's clients to the server, and copies the response.</summary>
internal sealed class ForwardingApplication(HttpMessageInvoker server) : IHttpApplication<HttpContext>
{
    private const int BufferSize = 16 * 1024;

    public HttpContext CreateContext(IFeatureCollection contextFeatures) => new DefaultHttpContext(contextFeatures);

    public void DisposeContext(HttpContext context, Exception? exception)
    {
    }

    public async Task ProcessRequestAsync(HttpContext context)
    {
        using HttpRequestMessage request = ToMessage(context);
        using HttpResponseMessage response =
            await server.SendAsync(request, context.RequestAborted).ConfigureAwait(false);
        CopyHead(response, context.Response);
        await context.Response.StartAsync(context.RequestAborted).ConfigureAwait(false);
        await CopyBodyAsync(response.Content, context.Response.Body, context.RequestAborted).ConfigureAwait(false);
    }

    private static HttpRequestMessage ToMessage(HttpContext context)
    {
        HttpRequest from = context.Request;
        string target = PathEncoder.Encode(from.PathBase + from.Path) + from.QueryString.ToUriComponent();
        var message = new HttpRequestMessage(
            new HttpMethod(from.Method), new Uri($"{from.Scheme}://{from.Host.ToUriComponent()}{target}"));
        if (context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody ?? from.ContentLength > 0)
        {
            message.Content = new StreamContent(from.Body);
        }

        foreach ((string name, StringValues values) in from.Headers)
        {
            // Each hop has its own framing of a body.
            if (!name.Equals("Transfer-Encoding", StringComparison.OrdinalIgnoreCase)
                && !message.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)values))
            {
                // .NET stores some headers with a content, even for requests with an empty body.
                message.Content ??= new ByteArrayContent([]);
                message.Content.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)values);
            }
        }

        ClientFacts.SetPathBase(message, from.PathBase);
        message.Options.Set(FastCgiRequestOptions.RequestTarget, target);
        if (context.Connection.RemoteIpAddress is { } address)
        {
            message.Options.Set(FastCgiRequestOptions.RemoteAddress, address);
        }

        return message;
    }

    private static void CopyHead(HttpResponseMessage from, HttpResponse to)
    {
        to.StatusCode = (int)from.StatusCode;
        to.HttpContext.Features.GetRequiredFeature<IHttpResponseFeature>().ReasonPhrase = from.ReasonPhrase;
        foreach ((string name, IEnumerable<string> values) in from.Headers.Concat(from.Content.Headers))
        {
            to.Headers.Append(name, values.ToArray());
        }
    }

    private static async Task CopyBodyAsync(HttpContent from, Stream to, CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        Stream body = await from.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            while (await body.ReadAsync(buffer, cancellationToken).ConfigureAwait(false) is > 0 and int read)
            {
                // Bytes that the application has flushed reach the client at once.
                await to.WriteAsync(buffer.AsMemory(0, read), cancellationToken).ConfigureAwait(false);
                await to.FlushAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
