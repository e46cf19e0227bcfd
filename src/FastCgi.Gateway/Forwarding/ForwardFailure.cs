namespace FastCgi.Gateway.Forwarding;

/// <summary>A failed request: the status for the client, and the reason.</summary>
/// <param name="StatusCode">502, 503, 504, or a status of 4xx for a request that cannot be passed on.</param>
/// <param name="Error">The kind of failure.</param>
/// <param name="Reason">The cause and a remedy, for the log.</param>
/// <param name="Exception">The cause, or null.</param>
internal sealed record ForwardFailure(int StatusCode, FastCgiError Error, string Reason, Exception? Exception)
    : IFastCgiFailureFeature
{
    public static ForwardFailure Of(Exception exception, ForwardingRules rules, ResponseDeadline deadline)
    {
        if (deadline.HasPassed)
        {
            string limit = $"within {rules.ResponseTimeout.TotalSeconds} s (ResponseTimeout)";
            return new(
                StatusCodes.Status504GatewayTimeout,
                FastCgiError.ResponseHeadersTimeout,
                deadline.HasConnection
                    ? $"{rules.Endpoint} sent no response head {limit}. Look for the reason in the application's " +
                        "log, or raise the timeout."
                    : $"The request had no connection to {rules.Endpoint} {limit}. If all were in use, give the " +
                        "application more processes and raise MaxConnections.",
                exception);
        }

        // The client's body broke a rule of this server, such as its size limit.
        if (Find<BadHttpRequestException>(exception) is { } bad)
        {
            return new(bad.StatusCode, FastCgiError.InvalidRequest, bad.Message, exception);
        }

        FastCgiException? known = FastCgiException.Find(exception);
        int status = known?.Error switch
        {
            FastCgiError.Overloaded => StatusCodes.Status503ServiceUnavailable,
            FastCgiError.ConnectTimeout or FastCgiError.ResponseHeadersTimeout or FastCgiError.ResponseIdleTimeout =>
                StatusCodes.Status504GatewayTimeout,
            FastCgiError.InvalidRequest => StatusCodes.Status400BadRequest,
            _ => StatusCodes.Status502BadGateway,
        };
        return new(status, known?.Error ?? FastCgiError.Unknown, known?.Message ?? exception.Message, exception);
    }

    /// <summary>All connections are busy, and the queue for them is full.</summary>
    public static ForwardFailure TooMany(ForwardingRules rules) => new(
        StatusCodes.Status503ServiceUnavailable,
        FastCgiError.Unknown,
        $"{rules.MaxRequests} requests to {rules.Endpoint} are under way or wait for a connection (MaxConnections, " +
        "MaxQueuedRequests). Give the application more processes, or raise the limits.",
        Exception: null);

    /// <summary>Answers a request whose response has not started.</summary>
    public void Answer(HttpContext context, ILogger logger)
    {
        Log(context, logger);
        context.Response.Clear();
        context.Response.StatusCode = StatusCode;
        context.Features.Set<IFastCgiFailureFeature>(this);
    }

    private void Log(HttpContext context, ILogger logger)
    {
        string method = context.Request.Method;
        string target = ForwardedTarget.ForLog(context);
        string id = context.TraceIdentifier;
        switch (StatusCode)
        {
            case StatusCodes.Status502BadGateway:
                // The messages of known failures are complete.
                Exception? unknown = FastCgiException.Find(Exception) is null ? Exception : null;
                ForwarderLog.BadGateway(logger, unknown, method, target, id, Reason);
                break;
            case StatusCodes.Status503ServiceUnavailable:
                ForwarderLog.ServiceUnavailable(logger, method, target, id, Reason);
                break;
            case StatusCodes.Status504GatewayTimeout:
                ForwarderLog.GatewayTimeout(logger, method, target, id, Reason);
                break;
            default:
                ForwarderLog.RequestRefused(logger, StatusCode, method, target, id, Reason);
                break;
        }
    }

    private static TException? Find<TException>(Exception? exception)
        where TException : Exception
    {
        while (exception is not (null or TException))
        {
            exception = exception.InnerException;
        }

        return (TException?)exception;
    }
}
