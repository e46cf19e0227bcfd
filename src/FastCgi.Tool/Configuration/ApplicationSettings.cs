using System.Text.Json;

namespace FastCgi.Tool.Configuration;

/// <summary>The section FastCgi of an application's appsettings.json, read as the server reads it.</summary>
internal sealed class ApplicationSettings
{
    private const string Protocol = "Protocol";

    /// <summary>As ASP.NET Core reads its settings.</summary>
    private static readonly JsonDocumentOptions s_lenient = new()
    {
        CommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
    };

    /// <summary>As ASP.NET Core finds keys.</summary>
    private static readonly JsonNodeOptions s_anyCase = new() { PropertyNameCaseInsensitive = true };

    private readonly JsonObject _section;
    private readonly string _path;

    private ApplicationSettings(string path, JsonObject section) =>
        (_path, _section) = (path, section);

    /// <summary>Null if it is not set. Then the server has a default.</summary>
    /// <exception cref="ToolException">The server would refuse it.</exception>
    public BodyLimit? MaxRequestBodySize
    {
        get
        {
            if (_section["Limits"] is not JsonObject limits
                || !limits.TryGetPropertyValue(nameof(MaxRequestBodySize), out JsonNode? limit))
            {
                return null;
            }

            string text = limit?.ToString() ?? "";
            return text.Length == 0 || text.Equals("null", StringComparison.OrdinalIgnoreCase)
                ? new BodyLimit(null)
                : long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
                    ? new BodyLimit(number)
                    : throw ToolException.Usage(
                        $"FastCgi:Limits:MaxRequestBodySize '{text}' in '{_path}' is no number of bytes. Write one, " +
                        "or null for no limit.");
        }
    }

    /// <summary>The path base that the application sets itself; null for the root.</summary>
    /// <exception cref="ToolException">The server would refuse it.</exception>
    public string? PathBase => MountPath.Read(_section[nameof(PathBase)]?.ToString(), "FastCgi:PathBase");

    /// <summary>An array counts as a section with the numbers from 0 as names.</summary>
    private IEnumerable<KeyValuePair<string, JsonNode?>> Endpoints => _section[nameof(Endpoints)] switch
    {
        JsonObject section => section,
        JsonArray array => array.Select(static (endpoint, number) => KeyValuePair.Create($"{number}", endpoint)),
        _ => [],
    };

    /// <summary>The endpoint with the name, or the first one; null if there is none with a URL.</summary>
    /// <exception cref="ToolException">The server would refuse it.</exception>
    public ApplicationEndpoint? FindEndpoint(string? name)
    {
        (string key, JsonNode? endpoint) = Endpoints.FirstOrDefault(
            endpoint => name is null || endpoint.Key.Equals(name, StringComparison.OrdinalIgnoreCase));
        if (endpoint is not null and not JsonObject)
        {
            throw ToolException.Usage(
                $"FastCgi:Endpoints:{key} '{endpoint}' in '{_path}' is no section. Write \"{key}\": {{ \"Url\": " +
                "\"127.0.0.1:9000\" }.");
        }

        if (endpoint?["Url"] is not { } url)
        {
            return null;
        }

        // The defaults apply first, then the scheme of the URL, then the endpoint's own value.
        ApplicationEndpoint found = ApplicationEndpoint.Parse(url.ToString());
        bool isScgi = IsScgi(endpoint[Protocol], $"Endpoints:{key}")
            ?? (found.IsScgi
                || IsScgi((_section["EndpointDefaults"] as JsonObject)?[Protocol], "EndpointDefaults") == true);
        return found with { IsScgi = isScgi };
    }

    /// <exception cref="ToolException">The file is not a valid settings file.</exception>
    public static ApplicationSettings Read(string path)
    {
        try
        {
            JsonNode? settings = JsonNode.Parse(File.ReadAllText(path), s_anyCase, s_lenient);
            RequireDistinctKeys(settings);
            return new ApplicationSettings(path, (settings as JsonObject)?["FastCgi"] as JsonObject ?? []);
        }
        catch (Exception exception)
            when (exception is JsonException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw ToolException.Usage($"the settings '{path}' cannot be read: {exception.Message}", exception);
        }
    }

    /// <summary>
    /// The server refuses a file with a repeated key. A <see cref="JsonObject"/> would find it only at its first use.
    /// </summary>
    /// <exception cref="ArgumentException">A key is repeated.</exception>
    private static void RequireDistinctKeys(JsonNode? node)
    {
        IEnumerable<JsonNode?> children = node switch
        {
            JsonObject section => section.Select(static child => child.Value),
            JsonArray array => array,
            _ => [],
        };
        foreach (JsonNode? child in children)
        {
            RequireDistinctKeys(child);
        }
    }

    /// <summary>Null if it is not set.</summary>
    private bool? IsScgi(JsonNode? protocol, string section) => protocol?.ToString().ToUpperInvariant() switch
    {
        null => null,
        "SCGI" => true,
        "FASTCGI" => false,
        _ => throw ToolException.Usage(
            $"FastCgi:{section}:{Protocol} '{protocol}' in '{_path}' is no protocol. Write FastCgi or Scgi."),
    };
}
