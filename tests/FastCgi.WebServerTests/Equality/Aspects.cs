using System.Security.Cryptography;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Everything about one exchange that is compared, by name.</summary>
internal sealed class Aspects
{
    private const int ShownBytes = 500;

    /// <summary>Names of header fields have no case.</summary>
    private readonly SortedDictionary<string, string> _values = new(StringComparer.OrdinalIgnoreCase);

    public Aspects(RawResponse? response, Observation? seen)
    {
        Response = response;
        Seen = seen;
        if (response is not null)
        {
            AddResponse(response);
        }
        else
        {
            _values["status"] = "none, the connection ended";
        }

        AddSeen(seen);
    }

    /// <summary>Null when the connection ended before a response.</summary>
    public RawResponse? Response { get; }

    public Observation? Seen { get; }

    public string Shown(string aspect) => _values.TryGetValue(aspect, out var value) ? $"'{value}'" : "absent";

    /// <summary>
    /// The aspects in which the two are not alike. Where only one was answered, or only one reached the application,
    /// everything else follows from that.
    /// </summary>
    public IReadOnlyList<string> DifferingFrom(Aspects other)
    {
        var compared = _values.Keys.Union(other._values.Keys, StringComparer.OrdinalIgnoreCase);
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
        _values["status"] = $"{response.Status} {response.Head.Reason}";
        _values["torn"] = response.IsTorn ? "yes" : "no";
        _values["body"] = response.Body.Length <= ShownBytes
            ? response.Text
            : $"{response.Body.Length} bytes, {Convert.ToHexString(SHA256.HashData(response.Body))}";

        foreach (var (name, _) in response.Head.Headers)
        {
            // nginx makes the date, so its value is the clock's affair.
            var value = name == "Date" ? "present" : string.Join(" | ", response.Head.Lines(name));
            _values[$"response {name}"] = value;
        }
    }

    private void AddSeen(Observation? seen)
    {
        _values["reached the application"] = seen is null ? "no" : "yes";
        foreach (var (name, value) in seen?.Values ?? [])
        {
            _values[$"seen {name}"] = value;
        }
    }
}
