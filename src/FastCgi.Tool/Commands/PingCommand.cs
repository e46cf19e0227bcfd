using System.Net.Sockets;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi ping: checks that the application accepts connections, and asks for its properties.</summary>
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
        bool isScgi = endpoint.Protocol == FastCgiEndpointProtocol.Scgi;
        IReadOnlyDictionary<string, string>? values = isScgi
            ? null
            : await AskAsync(stream, endpoint, timeout, cancellationToken);
        TimeSpan answered = TimeProvider.System.GetElapsedTime(start);

        (int Status, TimeSpan Elapsed)? request = parsed.GetValue(_url) is { } url
            ? await RequestAsync(text, endpoint, url, timeout, cancellationToken)
            : null;
        var pong = new Pong(text, connected, values, answered, request);
        if (parsed.GetValue(_json))
        {
            WriteJson(pong);
        }
        else
        {
            Write(pong, isScgi);
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

    private void Write(Pong pong, bool isScgi)
    {
        Print($"connected in {Milliseconds(pong.Connected)} ms");
        if (pong.Values is { Count: > 0 } values)
        {
            string pairs = string.Join(", ", values.Select(static pair => $"{pair.Key}={pair.Value}"));
            Print($"{pairs} in {Milliseconds(pong.Answered)} ms");
        }
        else if (!isScgi)
        {
            Print("no answer to FCGI_GET_VALUES, which applications may ignore; add --url / to send a request");
        }

        if (pong.Request is { } sent)
        {
            Print($"status {sent.Status} in {Milliseconds(sent.Elapsed)} ms");
        }

        void Print(string line) => _terminal.Output.WriteLine($"{pong.Endpoint}: {line}");
    }

    private void WriteJson(Pong pong)
    {
        var result = new JsonObject
        {
            ["endpoint"] = pong.Endpoint,
            ["connectMilliseconds"] = Math.Round(pong.Connected.TotalMilliseconds, 3),
            ["values"] = pong.Values is { } values
                ? new JsonObject(values.Select(static pair => KeyValuePair.Create(pair.Key, (JsonNode?)pair.Value)))
                : null,
            ["valuesMilliseconds"] = pong.Values is null ? null : Math.Round(pong.Answered.TotalMilliseconds, 3),
        };
        if (pong.Request is { } sent)
        {
            result["status"] = sent.Status;
            result["requestMilliseconds"] = Math.Round(sent.Elapsed.TotalMilliseconds, 3);
        }

        _terminal.WriteJson(result);
    }

    private static string Milliseconds(TimeSpan time) =>
        time.TotalMilliseconds.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>The answers of the application, and their times.</summary>
    private sealed record Pong(
        string Endpoint,
        TimeSpan Connected,
        IReadOnlyDictionary<string, string>? Values,
        TimeSpan Answered,
        (int Status, TimeSpan Elapsed)? Request);
}
