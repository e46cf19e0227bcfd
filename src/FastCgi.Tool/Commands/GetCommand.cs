using FastCgi.Tool.Records;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi get: sends one request, and prints its response as it comes.</summary>
internal sealed class GetCommand : ExampleCommand
{
    private const int FirstFailure = 400;

    private readonly ToolTerminal _terminal;
    private readonly RequestOptions _request = new();
    private readonly Option<bool> _include = SharedOptions.Flag("--include", "Print the response head too.", "-i");
    private readonly Option<bool> _head = SharedOptions.Flag("--head", "Send HEAD, and print the response head.", "-I");
    private readonly Option<bool> _fail = SharedOptions.Flag(
        "--fail", "End with status 1 if the response's is 400 or more.", "-f");
    private readonly Option<bool> _verbose = SharedOptions.Flag(
        "--verbose", "Print every record on the standard error.", "-v");
    private readonly Option<string?> _output = SharedOptions.Of<string?>(
        "--output", "Write the body to a file.", "file", "-o");
    private readonly Option<bool> _json = SharedOptions.Json();

    public GetCommand(ToolTerminal terminal)
        : base(
            "get",
            "Sends a request to a FastCGI or SCGI application, as curl does over HTTP.",
            "fcgi get unix:/run/app/app.sock /",
            "fcgi get 127.0.0.1:9000 https://www.example.com/orders -d '{\"id\":1}' -H 'Content-Type: " +
            "application/json' -i",
            "fcgi get unix:/run/php/php-fpm.sock /index.php --root /var/www/html --verbose")
    {
        _terminal = terminal;
        _request.AddTo(this);
        AddAll(_include, _head, _fail, _verbose, _output, _json);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        RequestSettings settings = await _request.ReadAsync(parsed, _terminal, cancellationToken);
        FastCgiHandlerOptions options = settings.CreateHandlerOptions();
        var errors = new MemoryStream();
        options.StandardError = (_, text) => errors.Write(text.Span);
        if (parsed.GetValue(_verbose))
        {
            ITrafficTrace trace = settings.Endpoint.Protocol == FastCgiEndpointProtocol.Scgi
                ? new ScgiTrace(_terminal.Error)
                : new FastCgiTrace(_terminal.Error);
            options.ConnectCallback = async (_, token) =>
                new TracedStream(await EndpointConnector.ConnectAsync(settings.Endpoint, token), trace);
        }

        using var invoker = new HttpMessageInvoker(new FastCgiHandler(options));
        using HttpRequestMessage request = settings.CreateRequest();
        if (parsed.GetValue(_head))
        {
            request.Method = HttpMethod.Head;
        }

        try
        {
            int status = await TimeLimit.RunAsync(
                settings.EndpointText,
                settings.Timeout,
                async token =>
                {
                    long start = TimeProvider.System.GetTimestamp();
                    using HttpResponseMessage response = await SendAsync(invoker, request, settings, token);
                    await (parsed.GetValue(_json)
                        ? WriteJsonAsync(response, errors, start, parsed.GetValue(_output), token)
                        : WriteAsync(parsed, request, response, token));
                    return (int)response.StatusCode;
                },
                cancellationToken);
            return parsed.GetValue(_fail) && status >= FirstFailure ? ExitCode.Findings : ExitCode.Success;
        }
        finally
        {
            if (errors.Length > 0 && !parsed.GetValue(_json))
            {
                foreach (string line in Encoding.UTF8.GetString(errors.ToArray()).TrimEnd().Split('\n'))
                {
                    _terminal.Error.WriteLine($"STDERR: {line.TrimEnd('\r')}");
                }
            }
        }
    }

    private static async Task<HttpResponseMessage> SendAsync(
        HttpMessageInvoker invoker,
        HttpRequestMessage request,
        RequestSettings settings,
        CancellationToken cancellationToken)
    {
        try
        {
            return await invoker.SendAsync(request, cancellationToken);
        }
        catch (FastCgiException exception)
            when (exception.Error == FastCgiError.InvalidRequest && settings.DocumentRoot is null)
        {
            throw ToolException.Usage(
                $"the target '{settings.Target}' names a script, and PHP needs to know its directory. Add --root " +
                "with the directory of the scripts as the PHP process sees it, for example --root /var/www/html, or " +
                "set --param SCRIPT_FILENAME=/path/of/the/script.",
                exception);
        }
    }

    private async Task WriteAsync(
        ParseResult parsed,
        HttpRequestMessage request,
        HttpResponseMessage response,
        CancellationToken cancellationToken)
    {
        if (parsed.GetValue(_include) || request.Method == HttpMethod.Head)
        {
            string status = $"Status: {(int)response.StatusCode} {response.ReasonPhrase}";
            _terminal.Output.WriteLine(status.TrimEnd());
            foreach ((string name, string value) in Headers(response))
            {
                _terminal.Output.WriteLine($"{name}: {value}");
            }

            _terminal.Output.WriteLine();
        }

        await _terminal.Output.FlushAsync(cancellationToken);
        await using Stream body = await response.Content.ReadAsStreamAsync(cancellationToken);
        if (parsed.GetValue(_output) is { } path)
        {
            await using FileStream file = File.Create(path);
            await body.CopyToAsync(file, cancellationToken);
        }
        else
        {
            await body.CopyToAsync(_terminal.OutputBytes, cancellationToken);
            await _terminal.OutputBytes.FlushAsync(cancellationToken);
        }
    }

    /// <summary>The body is in the JSON, or in the file of --output.</summary>
    private async Task WriteJsonAsync(
        HttpResponseMessage response,
        MemoryStream errors,
        long start,
        string? file,
        CancellationToken cancellationToken)
    {
        byte[] body = await response.Content.ReadAsByteArrayAsync(cancellationToken);
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(start);
        var headers = new JsonArray();
        foreach ((string name, string value) in Headers(response))
        {
            headers.Add(new JsonObject { ["name"] = name, ["value"] = value });
        }

        var result = new JsonObject
        {
            ["status"] = (int)response.StatusCode,
            ["reason"] = response.ReasonPhrase,
            ["headers"] = headers,
            ["milliseconds"] = Math.Round(elapsed.TotalMilliseconds, 3),
            ["bodyLength"] = body.Length,
        };
        if (file is not null)
        {
            await File.WriteAllBytesAsync(file, body, cancellationToken);
        }
        else if (IsText(body))
        {
            result["body"] = Encoding.UTF8.GetString(body);
        }
        else
        {
            result["bodyBase64"] = Convert.ToBase64String(body);
        }

        result["standardError"] = Encoding.UTF8.GetString(errors.ToArray());
        _terminal.WriteJson(result);
    }

    private static IEnumerable<(string Name, string Value)> Headers(HttpResponseMessage response) =>
        from header in response.Headers.NonValidated.Concat(response.Content.Headers.NonValidated)
        from value in header.Value
        select (header.Key, value);

    private static bool IsText(byte[] body) =>
        System.Text.Unicode.Utf8.IsValid(body) && !body.AsSpan().Contains((byte)0);
}
