using System.Net;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.Net.Http.Headers;

namespace FastCgi.Gateway.Forwarding;

/// <summary>
/// Forwards requests to one FastCGI or SCGI application, and returns its responses. Every failure becomes a status and
/// a log entry. Throws only the cancellation that the request timeouts middleware handles.
/// </summary>
internal sealed class RequestForwarder(HttpMessageInvoker destination, ForwardingRules rules, ILogger logger)
{
    /// <summary>The status that nginx logs for a client that has left. No client receives it.</summary>
    private const int ClientClosedRequest = 499;

    private int _requests;
    private int _hasNamedFile;

    /// <summary>Forwards to an application without scripts, at the path base of the request.</summary>
    public Task ForwardAsync(HttpContext context) => ForwardAsync(
        context,
        new ForwardedPlace(context.Request.PathBase.Value ?? "", context.Request.Path.Value ?? "", Script: null));

    /// <summary>Forwards the request and its response.</summary>
    public async Task ForwardAsync(HttpContext context, ForwardedPlace place)
    {
        try
        {
            if (Interlocked.Increment(ref _requests) > rules.MaxRequests)
            {
                ForwardFailure.TooMany(rules).Answer(context, logger);
                return;
            }

            await ForwardAdmittedAsync(context, place).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _requests);
        }
    }

    /// <summary>Sends a file of the application. 403 if this process may not read it.</summary>
    public async Task SendFileAsync(HttpContext context, RequestDelegate send)
    {
        try
        {
            await send(context).ConfigureAwait(false);
        }
        catch (UnauthorizedAccessException exception) when (!context.Response.HasStarted)
        {
            context.Response.Clear();
            context.Response.StatusCode = StatusCodes.Status403Forbidden;
            ForwarderLog.RequestRefused(
                logger,
                StatusCodes.Status403Forbidden,
                context.Request.Method,
                ForwardedTarget.ForLog(context),
                context.TraceIdentifier,
                exception.Message);
        }
    }

    private async Task ForwardAdmittedAsync(HttpContext context, ForwardedPlace place)
    {
        using var deadline = new ResponseDeadline(rules.ResponseTimeout, rules.Clock, context.RequestAborted);
        UpgradeRequest? upgrade = UpgradeRequest.Of(context);

        // 1. The body follows as the application takes it. Its first read sends 100 Continue.
        using RequestBodyContent? body = upgrade is null && ForwardedRequest.HasBody(context)
            ? new RequestBodyContent(context, deadline)
            : null;
        HttpRequestMessage? message = null;
        ForwardedResponse? forwarded = null;
        try
        {
            // 2. The head has method, target, end-to-end headers, and facts from this server.
            message = ForwardedRequest.Create(context, place, upgrade, body, rules);
            message.Options.Set(FastCgiRequestOptions.OnSending, deadline.OnSending);

            // 3. The request is sent, and the head of the response received.
            using HttpResponseMessage response =
                await destination.SendAsync(message, deadline.Token).ConfigureAwait(false);
            deadline.Stop();

            // 4. Both ends may now switch protocols.
            if (upgrade is not null && IsUpgraded(response, upgrade))
            {
                await TunnelAsync(context, response, upgrade).ConfigureAwait(false);
                return;
            }

            RequireFinal(response);

            // 5. The head of the response is passed on, then its body as it comes, then trailers.
            forwarded = new ForwardedResponse(context, response, logger);
            forwarded.CopyHead();
            if (forwarded.NamedFile is { } named && Find(named, context) is { } sendFile)
            {
                response.Dispose();
                await SendFileAsync(context, sendFile).ConfigureAwait(false);
                return;
            }

            await forwarded.CopyBodyAsync(deadline.Token).ConfigureAwait(false);
            forwarded.CopyTrailers();
        }
        catch (Exception exception)
        {
            // 6. A failure before the response starts becomes a status. A later one breaks off the response.
            Fail(context, exception, deadline, hasBody: forwarded is { HasBody: true });
        }
        finally
        {
            // 7. Nothing uses the context any more.
            if (body is not null)
            {
                await body.StopAsync().ConfigureAwait(false);
            }

            message?.Dispose();
        }
    }

    /// <summary>Null if the file is in no directory of the options. Then the application's body is passed on.</summary>
    private RequestDelegate? Find((string Header, string Value) named, HttpContext context)
    {
        RequestDelegate? send = rules.InternalFiles?.Find(named.Header, named.Value);
        if (send is null && Interlocked.Exchange(ref _hasNamedFile, 1) == 0)
        {
            ForwarderLog.FileHeaderRemoved(
                logger,
                context.Request.Method,
                ForwardedTarget.ForLog(context),
                context.TraceIdentifier,
                named.Header);
        }

        return send;
    }

    /// <summary>False if the application answers in HTTP. Then its answer is passed on.</summary>
    private bool IsUpgraded(HttpResponseMessage response, UpgradeRequest upgrade)
    {
        if (response.StatusCode == HttpStatusCode.SwitchingProtocols)
        {
            return upgrade.IsAcceptedBy(response) ? true : throw new HttpRequestException(
                $"{rules.Endpoint} accepted a WebSocket with a wrong Sec-WebSocket-Accept. Correct the application.");
        }

        return upgrade.IsExtendedConnect && response.IsSuccessStatusCode
            ? throw new HttpRequestException(
                $"{rules.Endpoint} answered a WebSocket request with {(int)response.StatusCode} instead of 101. " +
                "WebSockets need an SCGI endpoint and an application that has one at this path.")
            : false;
    }

    /// <summary>Refuses an informational status, after which the client would wait for the final response.</summary>
    private void RequireFinal(HttpResponseMessage response)
    {
        if ((int)response.StatusCode < StatusCodes.Status200OK)
        {
            throw new HttpRequestException(
                $"{rules.Endpoint} answered with the informational status {(int)response.StatusCode}, but FastCGI " +
                "and SCGI have one response only, the final one. Correct the application.");
        }
    }

    private async Task TunnelAsync(HttpContext context, HttpResponseMessage response, UpgradeRequest upgrade)
    {
        new ForwardedResponse(context, response, logger).CopyHead();
        if (upgrade.IsExtendedConnect)
        {
            context.Response.StatusCode = StatusCodes.Status200OK;
            context.Response.Headers.Remove(HeaderNames.SecWebSocketAccept);
        }
        else
        {
            context.Response.Headers.Connection = "Upgrade";
            context.Response.Headers.Upgrade = upgrade.Protocol;
        }

        ForwarderLog.Upgraded(
            logger, context.Request.Method, ForwardedTarget.ForLog(context), context.TraceIdentifier, upgrade.Protocol);
        Stream application = await response.Content.ReadAsStreamAsync(context.RequestAborted).ConfigureAwait(false);
        await using (application.ConfigureAwait(false))
        {
            Stream client = await upgrade.AcceptAsync().ConfigureAwait(false);
            await using (client.ConfigureAwait(false))
            {
                await UpgradeTunnel.RunAsync(client, application, context.RequestAborted).ConfigureAwait(false);
            }
        }
    }

    private void Fail(HttpContext context, Exception exception, ResponseDeadline deadline, bool hasBody)
    {
        string method = context.Request.Method;
        string target = ForwardedTarget.ForLog(context);
        if (context.RequestAborted.IsCancellationRequested)
        {
            Cancel(context, exception, hasBody);
            return;
        }

        ForwardFailure failure = ForwardFailure.Of(exception, rules, deadline);
        if (context.Response.HasStarted || hasBody)
        {
            ForwarderLog.ResponseTorn(logger, exception, method, target, context.TraceIdentifier, failure.Reason);
            context.Abort();
            return;
        }

        failure.Answer(context, logger);
    }

    /// <summary>Handles a client that has left, or a middleware's own cancellation token in the request.</summary>
    /// <exception cref="OperationCanceledException">The server's request timeout has passed.</exception>
    private void Cancel(HttpContext context, Exception exception, bool hasBody)
    {
        string method = context.Request.Method;
        string target = ForwardedTarget.ForLog(context);
        bool hasStarted = context.Response.HasStarted || hasBody;
        if (context.Features.Get<IHttpRequestTimeoutFeature>() is { RequestTimeoutToken.IsCancellationRequested: true })
        {
            if (!hasStarted)
            {
                throw new OperationCanceledException(exception.Message, exception, context.RequestAborted);
            }

            ForwarderLog.ResponseTorn(
                logger, exception, method, target, context.TraceIdentifier, "its request timeout is over.");
        }
        else
        {
            ForwarderLog.ClientAborted(logger, method, target, context.TraceIdentifier);
        }

        if (hasStarted)
        {
            // A client that is still there must not take half a response for a whole one.
            context.Abort();
        }
        else
        {
            context.Response.StatusCode = ClientClosedRequest;
        }
    }
}
