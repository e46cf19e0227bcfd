namespace FastCgi.Benchmarks.Loads;

/// <summary>One kind of request, and what the right answer is.</summary>
internal sealed record Workload(string Name, string Target)
{
    /// <summary>What the tables say.</summary>
    public required string Title { get; init; }

    /// <summary>Says what is wrong with an answer's body; null when nothing is.</summary>
    public required Func<byte[], string?> Check { get; init; }

    /// <summary>Null: a GET. Otherwise the body of a POST.</summary>
    public byte[]? Body { get; init; }

    /// <summary>Null: requests. Otherwise what a WebSocket sends, and expects back.</summary>
    public byte[]? Message { get; init; }

    public string ContentType { get; init; } = "";

    /// <summary>The request's; null for none.</summary>
    public string? Cookie { get; init; }

    /// <summary>As many connections as the workload says, whatever was asked for; null: as was asked for.</summary>
    public int? Connections { get; init; }

    /// <summary>More connections than that only hold bytes in flight; null: as many as were asked for.</summary>
    public int? MostConnections { get; init; }

    /// <summary>A shorter load would end within the first request.</summary>
    public TimeSpan LeastDuration { get; init; }

    /// <summary>Right answers differ in their length: what they hold changes from one to the next.</summary>
    public bool VariesInLength { get; init; }

    public string Method => Body is null ? "GET" : "POST";

    public override string ToString() => Name;
}
