using System.Diagnostics;
using System.Globalization;

namespace FastCgi.Client.Diagnostics;

/// <summary>
/// Measures and traces requests as <see cref="SocketsHttpHandler"/> does: a span from the call to the response head,
/// and the trace context in the request's headers.
/// </summary>
internal sealed class RequestTelemetry(HandlerMetrics metrics, DistributedContextPropagator? propagator)
{
    private const string ActivityName = "System.Net.Http.HttpRequestOut";

    private static readonly ActivitySource s_source = new("System.Net.Http");

    /// <summary>True if there is a listener or a current trace.</summary>
    public bool IsEnabled => metrics.RequestDuration.Enabled || metrics.ActiveRequests.Enabled
        || s_source.HasListeners() || (Activity.Current is not null && propagator is not null);

    public async Task<HttpResponseMessage> SendAsync(
        Func<HttpRequestMessage, CancellationToken, Task<HttpResponseMessage>> send,
        HttpRequestMessage request,
        CancellationToken cancellationToken)
    {
        using Activity? activity = s_source.StartActivity(ActivityName, ActivityKind.Client);
        Describe(activity, request);
        Inject(request);
        long started = Stopwatch.GetTimestamp();
        TagList tags = metrics.TagsOf(request);
        bool isCounted = metrics.ActiveRequests.Enabled;
        if (isCounted)
        {
            metrics.ActiveRequests.Add(1, tags);
        }

        HttpResponseMessage? response = null;
        string? error = null;
        try
        {
            response = await send(request, cancellationToken).ConfigureAwait(false);
            error = (int)response.StatusCode >= 400
                ? ((int)response.StatusCode).ToString(CultureInfo.InvariantCulture)
                : null;
            return response;
        }
        catch (Exception exception)
        {
            error = NameOf(exception);
            activity?.SetStatus(ActivityStatusCode.Error, exception.Message);
            throw;
        }
        finally
        {
            if (isCounted)
            {
                // Only if it was counted up, so that an observer that starts meanwhile does not fall below zero.
                metrics.ActiveRequests.Add(-1, tags);
            }

            Complete(activity, response, error);
            if (metrics.RequestDuration.Enabled)
            {
                AddOutcome(ref tags, response, error);
                metrics.RequestDuration.Record(Stopwatch.GetElapsedTime(started).TotalSeconds, tags);
            }
        }
    }

    private static void Describe(Activity? activity, HttpRequestMessage request)
    {
        if (activity is null)
        {
            return;
        }

        activity.DisplayName = HandlerMetrics.KnownMethod(request.Method);
        if (activity.IsAllDataRequested && request.RequestUri is { IsAbsoluteUri: true } uri)
        {
            activity.SetTag("http.request.method", HandlerMetrics.KnownMethod(request.Method));
            activity.SetTag("server.address", uri.IdnHost);
            activity.SetTag("server.port", uri.Port);
            // A query may contain secrets.
            activity.SetTag("url.full", uri.GetLeftPart(UriPartial.Path) + (uri.Query.Length > 0 ? "?*" : ""));
        }
    }

    private static void Complete(Activity? activity, HttpResponseMessage? response, string? error)
    {
        if (activity is null)
        {
            return;
        }

        if (response is not null)
        {
            activity.SetTag("http.response.status_code", (int)response.StatusCode);
        }

        if (error is not null)
        {
            activity.SetTag("error.type", error);
            activity.SetStatus(ActivityStatusCode.Error, activity.StatusDescription);
        }
    }

    private static void AddOutcome(ref TagList tags, HttpResponseMessage? response, string? error)
    {
        if (response is not null)
        {
            tags.Add("http.response.status_code", (int)response.StatusCode);
        }

        if (error is not null)
        {
            tags.Add("error.type", error);
        }
    }

    private static string NameOf(Exception exception) => exception switch
    {
        FastCgiException known => known.Error switch
        {
            FastCgiError.ConnectFailed or FastCgiError.ConnectTimeout => "connection_error",
            FastCgiError.ResponseEnded or FastCgiError.ConnectionLost => "response_ended",
            FastCgiError.HeadTooLong => "configuration_limit_exceeded",
            FastCgiError.ProtocolViolation or FastCgiError.PeerSpeaksHttp or FastCgiError.InvalidHead =>
                "invalid_response",
            _ => known.Error.ToString(),
        },
        _ => exception.GetType().FullName!,
    };

    /// <summary>Adds the trace context, unless the caller has set it.</summary>
    private void Inject(HttpRequestMessage request) => propagator?.Inject(
        Activity.Current,
        request,
        static (carrier, name, value) =>
        {
            var headers = ((HttpRequestMessage)carrier!).Headers;
            if (!headers.Contains(name))
            {
                headers.TryAddWithoutValidation(name, value);
            }
        });
}
