using System.Net.Http.Headers;
using System.Net.Sockets;

namespace FastCgi.Tool.Doctor;

/// <summary>Connects to each application in a configuration, and sends it one request.</summary>
internal static class ApplicationProbes
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(5);

    /// <summary>Time limit for an answer to FCGI_GET_VALUES.</summary>
    private static readonly TimeSpan s_answer = TimeSpan.FromSeconds(1);

    /// <summary>Time limit for a request.</summary>
    private static readonly TimeSpan s_slowAnswer = TimeSpan.FromSeconds(3);

    /// <param name="configuration">The pass directives. Each one is told whether PHP answers there.</param>
    /// <param name="target">The path to request.</param>
    /// <param name="cancellationToken">Ends the probes.</param>
    public static async Task<IReadOnlyDictionary<string, ProbedApplication>> RunAsync(
        IReadOnlyList<PassPoint> configuration, string target, CancellationToken cancellationToken)
    {
        var found = new Dictionary<string, ProbedApplication>(StringComparer.Ordinal);
        foreach (PassPoint point in configuration)
        {
            foreach (string address in point.Addresses.Select(named => point.EndpointOf(named.Address)))
            {
                if (
                    !found.ContainsKey(address)
                        && FastCgiEndpoint.TryParse(address, out FastCgiEndpoint? endpoint, out _))
                {
                    found[address] = await ProbeAsync(address, endpoint, target, cancellationToken);
                }

                point.AnswersAsPhp ??= found.GetValueOrDefault(address)?.IsPhp;
            }
        }

        return found;
    }

    private static async Task<ProbedApplication> ProbeAsync(
        string address, FastCgiEndpoint endpoint, string target, CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(s_timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        ProbeOutcome outcome = ProbeOutcome.Silent;
        try
        {
            outcome = await RecognizeAsync(endpoint, linked.Token);
            return outcome is ProbeOutcome.Right or ProbeOutcome.Silent
                ? await RequestAsync(address, endpoint, target, outcome, linked.Token)
                : new ProbedApplication(outcome, null, null);
        }
        catch (SocketException exception)
        {
            return new ProbedApplication(
                ProbeOutcome.Unreachable, EndpointConnector.Describe(exception, endpoint), null);
        }
        catch (FormatException exception)
        {
            return new ProbedApplication(ProbeOutcome.Unreachable, exception.Message, null);
        }
        catch (ToolException exception)
        {
            return new ProbedApplication(ProbeOutcome.Http, exception.Message, null);
        }
        catch (Exception exception) when (FastCgiException.Find(exception) is { } failure)
        {
            return new ProbedApplication(
                failure.Error == FastCgiError.PeerSpeaksHttp ? ProbeOutcome.Http : outcome, failure.Message, null);
        }
        catch (Exception exception)
            when (exception is IOException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            // It accepted the connection, but answers slowly or not at all.
            return new ProbedApplication(outcome, null, null);
        }
    }

    /// <summary>HTTP is tried last: our own server answers in HTTP to peers that speak it.</summary>
    private static async Task<ProbeOutcome> RecognizeAsync(
        FastCgiEndpoint endpoint, CancellationToken cancellationToken)
    {
        bool isScgi = endpoint.Protocol == FastCgiEndpointProtocol.Scgi;
        if (isScgi)
        {
            bool? answer = await ApplicationProbe.SpeaksScgiAsync(endpoint, s_slowAnswer, cancellationToken);
            if (answer != false)
            {
                return answer == true ? ProbeOutcome.Right : ProbeOutcome.Silent;
            }
        }

        using (NetworkStream stream = await EndpointConnector.ConnectAsync(endpoint, cancellationToken))
        {
            if (await ApplicationProbe.AskAsync(stream, s_answer, cancellationToken) is not null)
            {
                return isScgi ? ProbeOutcome.OtherProtocol : ProbeOutcome.Right;
            }
        }

        if (!isScgi && await ApplicationProbe.SpeaksScgiAsync(endpoint, s_answer, cancellationToken) == true)
        {
            return ProbeOutcome.OtherProtocol;
        }

        return await ApplicationProbe.SpeaksHttpAsync(endpoint, s_answer, cancellationToken)
            ? ProbeOutcome.Http
            : ProbeOutcome.Silent;
    }

    /// <summary>PHP answers with the name of a missing script; other applications do not use the param.</summary>
    private static async Task<ProbedApplication> RequestAsync(
        string address,
        FastCgiEndpoint endpoint,
        string target,
        ProbeOutcome outcome,
        CancellationToken cancellationToken)
    {
        (Uri uri, string path) = RequestTarget.Parse(target);
        var settings = new RequestSettings
        {
            EndpointText = address,
            Endpoint = endpoint,
            Uri = uri,
            Target = path,
            Timeout = s_timeout,
            Parameters = new Dictionary<string, string?> { ["SCRIPT_FILENAME"] = "/nonexistent/fcgi-doctor.php" },
        };
        bool isPhp = false;
        FastCgiHandlerOptions options = settings.CreateHandlerOptions();
        options.ScriptExtensions.Clear();
        options.StandardError = (_, text) => isPhp |= text.Span.IndexOf("Primary script unknown"u8) >= 0;
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(options));
        using HttpRequestMessage request = settings.CreateRequest();
        using HttpResponseMessage response = await invoker.SendAsync(request, cancellationToken);
        byte[] body = await response.Content.ReadAsByteArrayAsync(cancellationToken);
        isPhp |= body.AsSpan().StartsWith("File not found."u8)
            || body.AsSpan().StartsWith("No input file specified."u8)
            || (response.Headers.NonValidated.TryGetValues("X-Powered-By", out HeaderStringValues names)
                && names.ToString().Contains("PHP/", StringComparison.Ordinal));
        // Name, colon, space, value and line end, after the Status line.
        int head = response.Headers.NonValidated.Concat(response.Content.Headers.NonValidated)
            .SelectMany(static header => header.Value.Select(value => header.Key.Length + value.Length + 4))
            .Sum() + $"Status: {(int)response.StatusCode} {response.ReasonPhrase}\r\n\r\n".Length;
        return new ProbedApplication(outcome, null, isPhp ? null : head, isPhp);
    }
}
