using FastCgi.Client.Connections;
using FastCgi.Client.Requests;
using FastCgi.Client.Responses;

namespace FastCgi.Client.Sending;

/// <summary>From a request to its response: plan, connection, attempt, another attempt, local redirects.</summary>
internal sealed class RequestSender(HandlerSettings settings, ConnectionPool pool) : IDisposable
{
    private const int MaxRedirects = 10;

    /// <summary>
    /// Limit of the attempts for one request. On each new shared connection, other requests may be served first. If
    /// this request ends such a connection, the connection looks as if it had been closed before.
    /// </summary>
    private const int MaxAttempts = 3;

    public async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // 1. The request is planned.
        RequestPlan plan = RequestPlan.For(request, settings.Rules);
        try
        {
            return plan.Content is { } content && plan.ContentLength is null && settings.Rules.BuffersUnknownLength
                ? await SendBufferedAsync(plan, content, cancellationToken).ConfigureAwait(false)
                : await SendAsync(plan, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException exception) when (cancellationToken.IsCancellationRequested
            && (exception is not TaskCanceledException || exception.CancellationToken != cancellationToken))
        {
            // .NET's handlers throw this type with this token, although the wait used a token of its own.
            throw new TaskCanceledException(exception.Message, exception, cancellationToken);
        }
    }

    public void Dispose() => pool.Dispose();

    /// <summary>Closes the temporary file when it has been sent, perhaps after the head of the response.</summary>
    private async Task<HttpResponseMessage> SendBufferedAsync(
        RequestPlan plan, HttpContent content, CancellationToken cancellationToken)
    {
        BufferedContent buffered = await BufferedContent
            .ReadAsync(content, Path.GetTempPath(), cancellationToken).ConfigureAwait(false);
        try
        {
            plan.Buffer(buffered);
            return await SendAsync(plan, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            buffered.Dispose();
            throw;
        }
    }

    private async Task<HttpResponseMessage> SendAsync(RequestPlan plan, CancellationToken cancellationToken)
    {
        HttpRequestMessage request = plan.Request;
        for (int redirects = 0; ; redirects++)
        {
            // 2. A connection is chosen, and the head of the response read from it.
            (Exchange exchange, CgiHead head) = await ExchangeAsync(plan, cancellationToken).ConfigureAwait(false);

            // 3. A local redirect is answered with the response of its target.
            if (!head.IsLocalRedirect || !settings.FollowLocalRedirects)
            {
                return Respond(request, exchange, head);
            }

            exchange.Dispose();
            if (redirects == MaxRedirects)
            {
                throw new FastCgiException(
                    FastCgiError.TooManyRedirects,
                    $"{settings.Target.Name} answered with more than {MaxRedirects} local redirects, the last one to " +
                    $"'{head.Location}'. Correct the application, or set FollowLocalRedirects to false to see them.");
            }

            plan = plan.ForLocalRedirect(head.Location!, settings.Rules);
        }
    }

    private static HttpResponseMessage Respond(HttpRequestMessage request, Exchange exchange, CgiHead head)
    {
        var response = new HttpResponseMessage(head.StatusCode)
        {
            RequestMessage = request,
            Version = System.Net.HttpVersion.Version11,
            Content = new ResponseContent(exchange.Switched ?? new ResponseStream(exchange)),
        };
        try
        {
            head.CopyTo(response);
            return response;
        }
        catch
        {
            // Disposes its content too, which returns the connection.
            response.Dispose();
            throw;
        }
    }

    private async ValueTask<(Exchange Exchange, CgiHead Head)> ExchangeAsync(
        RequestPlan plan, CancellationToken cancellationToken)
    {
        ConnectionNeed need = plan.CanRepeat ? ConnectionNeed.Any : ConnectionNeed.Steady;
        for (int attempt = 1; ; attempt++)
        {
            PooledConnection connection =
                await pool.RentAsync(plan.Request, need, cancellationToken).ConfigureAwait(false);
            connection.IsReused &= attempt < MaxAttempts;
            var exchange = new Exchange(connection, pool, plan, settings);
            if (await StartAsync(exchange, cancellationToken).ConfigureAwait(false) is { } head)
            {
                return (exchange, head);
            }

            pool.OnStale();
            need = ConnectionNeed.New;
        }
    }

    private async ValueTask<CgiHead?> StartAsync(
        Exchange exchange, CancellationToken cancellationToken)
    {
        if (settings.HeadTimeout == Timeout.InfiniteTimeSpan)
        {
            return await exchange.StartAsync(cancellationToken).ConfigureAwait(false);
        }

        using var timed = new CancellationTokenSource(settings.HeadTimeout, settings.Clock);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            return await exchange.StartAsync(linked.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException exception)
            when (timed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new FastCgiException(
                FastCgiError.ResponseHeadersTimeout,
                $"{settings.Target.Name} sent no response head within {settings.HeadTimeout.TotalSeconds} s " +
                "(ResponseHeadersTimeout). Look for the reason in the application's log.",
                exception);
        }
    }
}
