using System.Buffers;
using System.IO.Pipelines;
using System.Net.Http.Headers;
using FastCgi.Gateway.Documents;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace FastCgi.Gateway.Forwarding;

/// <summary>Passes on the application's response to the client.</summary>
internal sealed class ForwardedResponse(HttpContext context, HttpResponseMessage message, ILogger logger)
{
    private const int BufferSize = 16 * 1024;

    /// <summary>
    /// The memory to request from the client's connection if much data comes. Each piece costs a wake-up or two, so
    /// half the size costs a third more CPU time.
    /// </summary>
    private const int DirectSize = 128 * 1024;

    /// <summary>The number of bytes after which a flush checks whether the client's connection takes more.</summary>
    private const int FlushThreshold = 32 * 1024;

    /// <summary>True if bytes of the body have been written, so that another answer is impossible.</summary>
    public bool HasBody { get; private set; }

    /// <summary>The header in which the application names a file instead of a body. It is not passed on.</summary>
    public (string Header, string Value)? NamedFile { get; private set; }

    public void CopyHead()
    {
        HttpResponse response = context.Response;
        response.StatusCode = (int)message.StatusCode;
        if (message.ReasonPhrase is { } reason && reason != ReasonPhrases.GetReasonPhrase(response.StatusCode)
            && context.Features.Get<IHttpResponseFeature>() is { } feature)
        {
            feature.ReasonPhrase = reason;
        }

        HashSet<string>? nominated = message.Headers.NonValidated.TryGetValues(
            HeaderNames.Connection, out HeaderStringValues connection)
            ? HopByHopHeaders.Nominated(connection.ToString())
            : null;
        CopyHeaders(message.Headers.NonValidated, response.Headers, nominated);
        CopyHeaders(message.Content.Headers.NonValidated, response.Headers, nominated);
        if (HttpMethods.IsHead(context.Request.Method) && context.Request.Method != HttpMethods.Head)
        {
            // The application was asked by HEAD. For any other method, this server would wait for the content.
            response.ContentLength = null;
        }
    }

    /// <summary>
    /// Writes the body as it comes. Bytes that are available at once leave in one piece. Before a wait, all are
    /// flushed.
    /// </summary>
    public async Task CopyBodyAsync(CancellationToken cancellationToken)
    {
        Stream body = await message.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        PipeWriter writer = context.Response.BodyWriter;
        bool isDropped = HttpMethods.IsHead(context.Request.Method);
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        bool isReading = false;
        try
        {
            int unflushed = -1;
            int count = 0;
            while (true)
            {
                if (unflushed == 0 && count >= BufferSize && !isDropped)
                {
                    // Much data comes at a time, and no bytes must be flushed during the wait, so no copy is needed.
                    count = await body.ReadAsync(writer.GetMemory(DirectSize), cancellationToken).ConfigureAwait(false);
                    writer.Advance(count);
                }
                else
                {
                    ValueTask<int> reading = body.ReadAsync(buffer, cancellationToken);
                    if (!reading.IsCompleted && unflushed != 0 && !isDropped)
                    {
                        isReading = true;
                        await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
                        isReading = false;
                        unflushed = 0;
                    }

                    count = await reading.ConfigureAwait(false);
                    if (!isDropped)
                    {
                        writer.Write(buffer.AsSpan(0, count));
                    }
                }

                if (count == 0)
                {
                    break;
                }

                if (isDropped)
                {
                    continue;
                }

                HasBody = true;
                unflushed = Math.Max(unflushed, 0) + count;
                if (unflushed >= FlushThreshold)
                {
                    await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
                    unflushed = 0;
                }
            }

            if (unflushed > 0 && context.Response.HasStarted)
            {
                // Once the head is sent, Kestrel sends the rest of a body with a length only at a flush.
                await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            // After a failed flush, the read may still write to the buffer.
            if (!isReading)
            {
                ArrayPool<byte>.Shared.Return(buffer);
            }
        }
    }

    public void CopyTrailers()
    {
        if (!context.Response.SupportsTrailers())
        {
            return;
        }

        foreach ((string name, HeaderStringValues values) in message.TrailingHeaders.NonValidated)
        {
            context.Response.AppendTrailer(name, ToStringValues(values));
        }
    }

    private void CopyHeaders(HttpHeadersNonValidated from, IHeaderDictionary to, HashSet<string>? nominated)
    {
        foreach ((string name, HeaderStringValues values) in from)
        {
            if (HopByHopHeaders.Contains(name) || nominated?.Contains(name) == true
                || IsForbiddenLength(name))
            {
                continue;
            }

            if (InternalFiles.IsNamedBy(name))
            {
                NamedFile = (name, values.ToString());
                continue;
            }

            try
            {
                to[name] = ToStringValues(values);
            }
            catch (InvalidOperationException exception)
            {
                ForwarderLog.ResponseHeaderDropped(
                    logger,
                    exception,
                    context.Request.Method,
                    ForwardedTarget.ForLog(context),
                    context.TraceIdentifier,
                    name);
            }
        }
    }

    /// <summary>RFC 9110, section 8.6: no length with 1xx and 204. With 205 the server sends its own.</summary>
    private bool IsForbiddenLength(string name) =>
        (int)message.StatusCode is < 200 or 204 or 205
        && name.Equals(HeaderNames.ContentLength, StringComparison.OrdinalIgnoreCase);

    private static StringValues ToStringValues(HeaderStringValues values) =>
        values.Count == 1 ? new StringValues(values.ToString()) : new StringValues([.. values]);
}
