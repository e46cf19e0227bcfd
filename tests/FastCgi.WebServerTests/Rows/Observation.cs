namespace FastCgi.WebServerTests.Rows;

/// <summary>What came of a row on one side: everything that is compared, by name.</summary>
internal sealed class Observation
{
    /// <summary>The one aspect of a row that tells its outcome itself.</summary>
    public const string Told = "outcome";

    private const int ShownBytes = 500;

    /// <summary>Names of header fields have no case.</summary>
    private readonly SortedDictionary<string, string> _aspects = new(StringComparer.OrdinalIgnoreCase);

    public Observation(string outcome) => _aspects[Told] = outcome;

    /// <param name="response">Null when the connection ended before a response.</param>
    /// <param name="seen">What the application saw; null when the request did not reach it.</param>
    public Observation(RawResponse? response, SeenRequest? seen)
    {
        Response = response;
        Seen = seen;
        _aspects["status"] = response is null
            ? "none, the connection ended"
            : $"{response.Status} {response.Head.Reason}";
        if (response is not null)
        {
            AddResponse(response);
        }

        _aspects["reached the application"] = seen is null ? "no" : "yes";
        foreach (var (name, value) in seen?.Values ?? [])
        {
            _aspects[$"seen {name}"] = value;
        }
    }

    public RawResponse? Response { get; }

    public SeenRequest? Seen { get; }

    /// <summary>The outcome where the row tells it.</summary>
    public string Outcome => _aspects[Told];

    public string Shown(string aspect) => _aspects.TryGetValue(aspect, out var value) ? $"'{value}'" : "absent";

    /// <summary>
    /// The aspects in which the two are not alike. Where only one was answered, or only one reached the application,
    /// everything else follows from that.
    /// </summary>
    public IReadOnlyList<string> DifferingFrom(Observation other)
    {
        var compared = _aspects.Keys.Union(other._aspects.Keys, StringComparer.OrdinalIgnoreCase);
        if ((Seen is null) != (other.Seen is null))
        {
            compared = ["status", "reached the application"];
        }
        else if ((Response is null) != (other.Response is null))
        {
            compared = compared.Where(aspect =>
                aspect == "status" || aspect.StartsWith("seen ", StringComparison.Ordinal));
        }

        return [.. compared.Where(aspect => Shown(aspect) != other.Shown(aspect))];
    }

    private void AddResponse(RawResponse response)
    {
        _aspects["torn"] = response.IsTorn ? "yes" : "no";
        _aspects["body"] = response.Body.Length <= ShownBytes
            ? response.Text
            : $"{response.Body.Length} bytes, {Convert.ToHexString(SHA256.HashData(response.Body))}";

        foreach (var (name, _) in response.Head.Headers)
        {
            // nginx makes the date, so its value is the clock's affair.
            var value = name == "Date" ? "present" : string.Join(" | ", response.Head.Lines(name));
            _aspects[$"response {name}"] = value;
        }
    }
}

/// <summary>What an application saw of a request.</summary>
internal sealed record SeenRequest(string Summary, IReadOnlyList<(string Name, string Value)> Values)
{
    public static SeenRequest Of(HttpContext context)
    {
        var request = context.Request;
        var url = $"{request.Scheme}://{request.Host}{request.PathBase.Value}{request.Path.Value}{request.QueryString}";
        var canHaveBody = context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody;
        return new SeenRequest(
            $"{request.Method} {url}",
            [
                ("method", request.Method),
                ("scheme", request.Scheme),
                ("host", request.Host.Value ?? ""),
                ("path base", request.PathBase.Value ?? ""),
                ("path", request.Path.Value ?? ""),
                ("query", request.QueryString.Value ?? ""),
                ("target", context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget),
                ("protocol", request.Protocol),
                ("client address", context.Connection.RemoteIpAddress?.ToString() ?? "none"),
                ("client port", context.Connection.RemotePort == 0 ? "none" : "some"),
                ("length", request.ContentLength?.ToString(CultureInfo.InvariantCulture) ?? "none"),
                ("can have a body", $"{canHaveBody}"),
                .. request.Headers.Select(header => ($"header {header.Key}", string.Join(" | ", [.. header.Value]))),
            ]);
    }
}
