using System.Net;
using System.Text.Json;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi status: shows the status page of PHP-FPM and of servers with the same page.</summary>
internal sealed class StatusCommand : ExampleCommand
{
    private const string ProcessesField = "processes";

    private readonly ToolTerminal _terminal;
    private readonly Argument<string> _endpoint = SharedOptions.Endpoint();
    private readonly Option<string> _path = SharedOptions.WithDefault(
        "/status", "--path", "The path of the page, pm.status_path of PHP-FPM.");
    private readonly Option<bool> _full = SharedOptions.Flag("--full", "Every process or request too.");
    private readonly Option<double> _timeout = SharedOptions.Timeout(5);
    private readonly Option<bool> _json = SharedOptions.Json();

    public StatusCommand(ToolTerminal terminal)
        : base(
            "status",
            "Reads the status page of PHP-FPM, or of an application with the same page, without a web server.",
            "fcgi status unix:/run/php/php-fpm.sock",
            "fcgi status unix:/run/app/app.sock --path /fpm-status --full --json")
    {
        _terminal = terminal;
        Add(_endpoint);
        AddAll(_path, _full, _timeout, _json);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string endpoint = parsed.GetRequiredValue(_endpoint);
        string path = parsed.GetRequiredValue(_path);
        if (!path.StartsWith('/'))
        {
            throw ToolException.Usage($"--path '{path}' does not begin with a slash. Write it like /status.");
        }

        JsonObject page = await ReadAsync(
            new RequestSettings
            {
                EndpointText = endpoint,
                Endpoint = SharedOptions.ReadEndpoint(endpoint),
                Uri = new Uri("http://localhost/"),
                Target = $"{path}?json{(parsed.GetValue(_full) ? "&full" : "")}",
                Timeout = SharedOptions.ReadSeconds(parsed.GetValue(_timeout), "--timeout"),
                // PHP-FPM compares SCRIPT_NAME with pm.status_path, and requires a SCRIPT_FILENAME with any value.
                Parameters = new Dictionary<string, string?> { ["SCRIPT_NAME"] = path, ["SCRIPT_FILENAME"] = path },
            },
            path,
            cancellationToken);
        if (parsed.GetValue(_json))
        {
            _terminal.WriteJson(page);
        }
        else
        {
            Write(page);
        }

        return ExitCode.Success;
    }

    private static async Task<JsonObject> ReadAsync(
        RequestSettings settings, string path, CancellationToken cancellationToken)
    {
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(settings.CreateHandlerOptions()));
        using HttpRequestMessage request = settings.CreateRequest();
        (HttpStatusCode status, string text) = await TimeLimit.RunAsync(
            settings.EndpointText,
            settings.Timeout,
            async token =>
            {
                using HttpResponseMessage response = await invoker.SendAsync(request, token);
                // JSON is UTF-8, and .NET does not know every charset.
                return (
                    response.StatusCode,
                    Encoding.UTF8.GetString(await response.Content.ReadAsByteArrayAsync(token)));
            },
            cancellationToken);
        if ((int)status is < 200 or > 299)
        {
            bool isPhp = text.StartsWith("File not found.", StringComparison.Ordinal);
            throw new ToolException(
                ExitCode.Findings,
                $"{settings.EndpointText} answers {path} with status {(int)status}. " + (isPhp
                    ? $"Set pm.status_path = {path} in the pool of PHP-FPM, or name the page's path with --path."
                    : status == HttpStatusCode.Forbidden
                        ? "List 127.0.0.1 in FastCgi:Status:AllowedClients of the application, or ask the endpoint " +
                            "of FastCgi:Status:Endpoint."
                        : $"Set FastCgi:Status:Path to {path} in the application, or name the page's path with " +
                            "--path; PHP-FPM calls it pm.status_path."));
        }

        try
        {
            return JsonNode.Parse(text) as JsonObject ?? throw NoPage(settings, path, null);
        }
        catch (JsonException exception)
        {
            throw NoPage(settings, path, exception);
        }
    }

    private static ToolException NoPage(RequestSettings settings, string path, JsonException? inner) => new(
        ExitCode.BrokenAnswer,
        $"{settings.EndpointText} answers {path} with something else than the JSON of a status page. Name the " +
        "page's path with --path.",
        inner);

    /// <summary>Formats times for people. PHP-FPM sends seconds since 1970, and microseconds for a request.</summary>
    private static string Show(string name, JsonNode? value) =>
        value is JsonValue number && number.TryGetValue(out long count) && count is >= 0 and < int.MaxValue
            ? name switch
            {
                "start time" => DateTimeOffset.FromUnixTimeSeconds(count)
                    .ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture),
                "start since" => $"{TimeSpan.FromSeconds(count):c}",
                "request duration" => string.Create(CultureInfo.InvariantCulture, $"{count / 1000.0:0.000} ms"),
                _ => $"{count}",
            }
            : value?.ToString() ?? "";

    private void Write(JsonObject page)
    {
        KeyValuePair<string, JsonNode?>[] fields = [.. page.Where(static field => field.Key != ProcessesField)];
        int width = fields.Select(static field => field.Key.Length).DefaultIfEmpty().Max() + 2;
        foreach ((string name, JsonNode? value) in fields)
        {
            string shown = PrintableWriter.Show(Show(name, value));
            _terminal.WriteWrapped(PrintableWriter.Show(name).PadRight(width) + shown, hanging: new string(' ', width));
        }

        if (page[ProcessesField] is JsonArray { Count: > 0 } processes)
        {
            JsonObject[] rows = [.. processes.OfType<JsonObject>()];
            string[] names = [.. rows.SelectMany(static row => row.Select(static field => field.Key)).Distinct()];
            _terminal.WriteTable(
                names, [.. rows.Select(row => names.Select(name => Show(name, row[name])).ToArray())]);
        }
    }
}
