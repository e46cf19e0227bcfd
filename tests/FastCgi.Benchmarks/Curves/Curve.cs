namespace FastCgi.Benchmarks.Curves;

/// <summary>What grows while everything else stays the same.</summary>
/// <param name="Name">As it is written in the command line, and the name of the picture's file.</param>
internal sealed record Curve(string Name, string Title)
{
    /// <summary>What is sent, for the page.</summary>
    public required string Text { get; init; }

    /// <summary>What grows, and its unit.</summary>
    public required string ValueTitle { get; init; }

    /// <summary>In ascending order.</summary>
    public required IReadOnlyList<long> Values { get; init; }

    /// <summary>Those that are written below the axis.</summary>
    public required IReadOnlyList<long> LabelledValues { get; init; }

    /// <summary>How a value is written.</summary>
    public required Func<long, string> Format { get; init; }

    public bool IsLogarithmic { get; init; }

    /// <summary>The value is the bytes that a request moves, so their rate can be told.</summary>
    public bool IsOfBytes { get; init; }

    public required IReadOnlyList<CurveVariant> Variants { get; init; }

    public override string ToString() => Name;
}

/// <summary>One way to send what the curve says.</summary>
/// <param name="Fits">Whether it is for a target of this name.</param>
/// <param name="Load">What is sent at a value; null: this way has no such point.</param>
internal sealed record CurveVariant(string? Title, Func<string, bool> Fits, Func<long, CurveLoad?> Load);
