namespace FastCgi.WebServerKit;

/// <summary>A response's status line and header lines, as they came.</summary>
internal sealed record RawHead(int Status, string Reason, IReadOnlyList<(string Name, string Value)> Headers)
{
    /// <summary>Every line of this name, unjoined.</summary>
    public IReadOnlyList<string> Lines(string name) =>
        [.. Headers.Where(header => IsSame(header.Name, name)).Select(header => header.Value)];

    /// <summary>The one value, null when there is none.</summary>
    public string? Value(string name) => Lines(name) is { Count: > 0 } lines ? Assert.Single(lines) : null;

    public bool IsChunked => IsSame(Value("Transfer-Encoding"), "chunked");

    public long? ContentLength =>
        Value("Content-Length") is { } length ? long.Parse(length, CultureInfo.InvariantCulture) : null;

    private static bool IsSame(string? one, string other) =>
        string.Equals(one, other, StringComparison.OrdinalIgnoreCase);
}
