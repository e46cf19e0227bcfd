using System.Security.Cryptography;

namespace FastCgi.WebServerTests.Equality;

/// <summary>Everything about one exchange that is compared, by name.</summary>
internal sealed class Aspects
{
    private const int ShownBytes = 500;

    private readonly SortedDictionary<string, string> _values = new(StringComparer.Ordinal);

    public Aspects(RawResponse? response, Observation? seen)
    {
        Status = response?.Status ?? 0;
        Seen = seen;
        if (response is not null)
        {
            AddResponse(response);
        }
        else
        {
            _values["status"] = "the connection ended without an answer";
        }

        AddSeen(seen);
    }

    public int Status { get; }

    public Observation? Seen { get; }

    public string? this[string aspect] => _values.GetValueOrDefault(aspect);

    /// <summary>The names of the aspects in which the two are not alike.</summary>
    public IReadOnlyList<string> DifferingFrom(Aspects other) =>
        [.. _values.Keys.Union(other._values.Keys).Where(aspect => this[aspect] != other[aspect]).Order(StringComparer.Ordinal)];

    private void AddResponse(RawResponse response)
    {
        _values["status"] = $"{response.Status} {response.Head.Reason}";
        _values["torn"] = response.IsTorn ? "yes" : "no";
        _values["body"] = response.Body.Length <= ShownBytes
            ? response.Text
            : $"{response.Body.Length} bytes, {Convert.ToHexString(SHA256.HashData(response.Body))}";

        foreach (var name in response.Head.Headers.Select(header => header.Name).Distinct(StringComparer.OrdinalIgnoreCase))
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
