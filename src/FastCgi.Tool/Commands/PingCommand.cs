using System.Net.Sockets;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi ping: does the application accept connections, and what does it say of itself.</summary>
internal sealed class PingCommand : ExampleCommand
{
    private readonly ToolTerminal _terminal;
    private readonly Argument<string> _endpoint = SharedOptions.Endpoint();
    private readonly Option<string?> _url = SharedOptions.Of<string?>(
        "--url", "Send a GET request too. A status of 400 or more counts as a failure.");
    private readonly Option<double> _timeout = SharedOptions.Timeout(
        2, "Seconds that the connection, the question and the request may take each.");
    private readonly Option<bool> _json = SharedOptions.Json();

    public PingCommand(ToolTerminal terminal)
        : base(
            "ping",
            "Connects to an application, and asks it for FCGI_MAX_CONNS, FCGI_MAX_REQS and FCGI_MPXS_CONNS.",
            "fcgi ping unix:/run/app/app.sock",
            "fcgi ping 127.0.0.1:9000 --url /health --json")
    {
        _terminal = terminal;
        Add(_endpoint);
        AddAll(_url, _timeout, _json);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string text = parsed.GetRequiredValue(_endpoint);
        FastCgiEndpoint endpoint = SharedOptions.ReadEndpoint(text);
        TimeSpan timeout = SharedOptions.ReadSeconds(parsed.GetValue(_timeout), "--timeout");
        long start = TimeProvider.System.GetTimestamp();
        using NetworkStream stream = await ConnectAsync(endpoint, text, timeout, cancellationToken);
        TimeSpan connected = TimeProvider.System.GetElapsedTime(start);

        start = TimeProvider.System.GetTimestamp();
        IReadOnlyDictionary<string, string>? values = endpoint.Protocol == FastCgiEndpointProtocol.Scgi
            ? null
            : await AskAsync(stream, endpoint, timeout, cancellationToken);
        TimeSpan answered = TimeProvider.System.GetElapsedTime(start);

        (int Status, TimeSpan Elapsed)? request = parsed.GetValue(_url) is { } url
            ? await RequestAsync(text, endpoint, url, timeout, cancellationToken)
            : null;
        if (parsed.GetValue(_json))
        {
            WriteJson(text, connected, values, answered, request);
        }
        else
        {
            Write(text, endpoint, connected, values, answered, request);
        }

        return request?.Status >= 400 ? ExitCode.Findings : ExitCode.Success;
    }

    private static async Task<NetworkStream> ConnectAsync(
        FastCgiEndpoint endpoint, string text, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            return await EndpointConnector.ConnectAsync(endpoint, linked.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ToolException(
                ExitCode.Timeout,
                $"no connection to {text} within {timeout.TotalSeconds} s. Check the address and the firewall, or " +
                "raise --timeout.");
        }
        catch (FormatException exception)
        {
            throw ToolException.Usage($"the endpoint '{text}' cannot be connected to: {exception.Message}.", exception);
        }
        catch (SocketException exception)
        {
            throw new ToolException(
                ExitCode.Unreachable,
                $"no connection to {text}: {EndpointConnector.Describe(exception, endpoint)}. " +
                RemedyOf(exception.SocketErrorCode, endpoint),
                exception);
        }
    }

    internal static string RemedyOf(SocketError error, FastCgiEndpoint endpoint) => error switch
    {
        SocketError.ConnectionRefused => "Nothing listens there. Start the application, or correct the endpoint.",
        SocketError.AddressNotAvailable when endpoint.SocketPath is not null =>
            "There is no such socket file. Start the application, or correct the path.",
        SocketError.AddressNotAvailable => "Give an address of this machine, or of one that it has a route to.",
        SocketError.AccessDenied when endpoint.SocketPath is not null =>
            $"The user {Environment.UserName} may not write to {endpoint.SocketPath}. Run the tool as the web " +
            "server's user, or give the socket's group or mode access (UnixGroup, UnixMode).",
        SocketError.HostNotFound or SocketError.TryAgain or SocketError.NoData => "Correct the host name.",
        _ => "Check that the application runs and that the endpoint is right.",
    };

    private static async Task<IReadOnlyDictionary<string, string>?> AskAsync(
        NetworkStream stream, FastCgiEndpoint endpoint, TimeSpan timeout, CancellationToken cancellationToken)
    {
        IReadOnlyDictionary<string, string>? values =
            await ApplicationProbe.AskAsync(stream, timeout, cancellationToken);
        return values is null && await ApplicationProbe.SpeaksHttpAsync(endpoint, timeout, cancellationToken)
            ? throw new ToolException(
                ExitCode.BrokenAnswer,
                "the peer answers in HTTP. Its port is for proxy_pass; give the FastCGI endpoint of the application.")
            : values;
    }

    private static async Task<(int Status, TimeSpan Elapsed)> RequestAsync(
        string text, FastCgiEndpoint endpoint, string url, TimeSpan timeout, CancellationToken cancellationToken)
    {
        (Uri uri, string target) = RequestTarget.Parse(url);
        var settings = new RequestSettings
        {
            EndpointText = text,
            Endpoint = endpoint,
            Uri = uri,
            Target = target,
            Timeout = timeout,
        };
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(settings.CreateHandlerOptions()));
        using HttpRequestMessage request = settings.CreateRequest();
        return await TimeLimit.RunAsync<(int Status, TimeSpan Elapsed)>(
            text,
            timeout,
            async token =>
            {
                long start = TimeProvider.System.GetTimestamp();
                using HttpResponseMessage response = await invoker.SendAsync(request, token);
                await response.Content.CopyToAsync(Stream.Null, token);
                return ((int)response.StatusCode, TimeProvider.System.GetElapsedTime(start));
            },
            cancellationToken);
    }

    private void Write(
        string text,
        FastCgiEndpoint endpoint,
        TimeSpan connected,
        IReadOnlyDictionary<string, string>? values,
        TimeSpan answered,
        (int Status, TimeSpan Elapsed)? request)
    {
        _terminal.Output.WriteLine($"{text}: connected in {Milliseconds(connected)} ms");
        if (values is { Count: > 0 })
        {
            string pairs = string.Join(", ", values.Select(static pair => $"{pair.Key}={pair.Value}"));
            _terminal.Output.WriteLine($"{text}: {pairs} in {Milliseconds(answered)} ms");
        }
        else if (endpoint.Protocol == FastCgiEndpointProtocol.FastCgi)
        {
            _terminal.Output.WriteLine(
                $"{text}: no answer to FCGI_GET_VALUES, which applications may ignore; add --url / to send a request");
        }

        if (request is { } sent)
        {
            _terminal.Output.WriteLine($"{text}: status {sent.Status} in {Milliseconds(sent.Elapsed)} ms");
        }
    }

    private void WriteJson(
        string text,
        TimeSpan connected,
        IReadOnlyDictionary<string, string>? values,
        TimeSpan answered,
        (int Status, TimeSpan Elapsed)? request)
    {
        var result = new JsonObject
        {
            ["endpoint"] = text,
            ["connectMilliseconds"] = Math.Round(connected.TotalMilliseconds, 3),
            ["values"] = values is null
                ? null
                : new JsonObject(values.Select(static pair => KeyValuePair.Create(pair.Key, (JsonNode?)pair.Value))),
            ["valuesMilliseconds"] = values is null ? null : Math.Round(answered.TotalMilliseconds, 3),
        };
        if (request is { } sent)
        {
            result["status"] = sent.Status;
            result["requestMilliseconds"] = Math.Round(sent.Elapsed.TotalMilliseconds, 3);
        }

        _terminal.WriteJson(result);
    }

    private static string Milliseconds(TimeSpan time) =>
        time.TotalMilliseconds.ToString("0.00", CultureInfo.InvariantCulture);
}
