using System.Text.Json;
using System.Text.Json.Nodes;
using FastCgi.Tool.Output;

namespace FastCgi.Tool.Configuration;

/// <summary>The section FastCgi of an application's appsettings.json.</summary>
internal sealed class ApplicationSettings
{
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

    private ApplicationSettings(string path, JsonObject section)
    {
        _path = path;
        _section = section;
    }

    public long? MaxRequestBodySize => (_section["Limits"] as JsonObject)?[nameof(MaxRequestBodySize)] is { } limit
        ? long.TryParse(limit.ToString(), out long number)
            ? number
            : throw new ToolException(
                ExitCode.Usage,
                $"FastCgi:Limits:MaxRequestBodySize '{limit}' in '{_path}' is no number of bytes. Correct it.")
        : null;

    public string? PathBase => _section[nameof(PathBase)]?.ToString();

    /// <summary>The URL of the endpoint of a name, or of the first; null if there is none.</summary>
    public string? FindEndpoint(string? name)
    {
        var endpoints = _section["Endpoints"] as JsonObject;
        JsonNode? endpoint = name is null ? endpoints?.FirstOrDefault().Value : endpoints?[name];
        return endpoint?["Url"]?.ToString();
    }

    /// <exception cref="ToolException">The file cannot be read as settings.</exception>
    public static ApplicationSettings Read(string path)
    {
        try
        {
            JsonNode? settings = JsonNode.Parse(File.ReadAllText(path), s_anyCase, s_lenient);
            return new ApplicationSettings(path, (settings as JsonObject)?["FastCgi"] as JsonObject ?? []);
        }
        catch (Exception exception)
            when (exception is JsonException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new ToolException(
                ExitCode.Usage, $"the settings '{path}' cannot be read: {exception.Message}", exception);
        }
    }
}
