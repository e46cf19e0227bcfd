namespace CrudApiSample.Catalogues;

/// <summary>A column as the database's catalogue describes it.</summary>
/// <param name="Name">Exactly as in the catalogue.</param>
/// <param name="Quoted">The name in SQL.</param>
/// <param name="Type">The database's own name of the type.</param>
public sealed record Column(string Name, string Quoted, ColumnKind Kind, string Type)
{
    /// <summary>What selects it in the form that the database's class writes as JSON.</summary>
    public string Selected { get; init; } = Quoted;

    public bool IsNullable { get; init; }

    /// <summary>The default in SQL; null when there is none.</summary>
    public string? Default { get; init; }

    /// <summary>The database numbers new records by itself.</summary>
    public bool IsAutoNumber { get; init; }

    /// <summary>It takes no value: the database computes it, or the configuration says so.</summary>
    public bool IsComputed { get; init; }

    /// <summary>In characters; null for no limit.</summary>
    public int? MaxLength { get; init; }

    /// <summary>Digits behind the point; null where the database writes them itself, or has no such rule.</summary>
    public int? Scale { get; init; }

    /// <summary>The smallest value of an integer.</summary>
    public decimal Minimum { get; init; } = long.MinValue;

    /// <summary>The largest value of an integer.</summary>
    public decimal Maximum { get; init; } = long.MaxValue;

    public ForeignKey? References { get; init; }

    /// <summary>A record cannot be without it, and the database has nothing to put there.</summary>
    public bool IsRequired => !IsNullable && Default is null && !IsAutoNumber && !IsComputed;
}

/// <summary>Where the values of a column have to exist.</summary>
public sealed record ForeignKey(string Table, string Column);

/// <summary>What the configuration makes of a column.</summary>
[Flags]
public enum ColumnRule
{
    None = 0,

    /// <summary>To clients there is no such column.</summary>
    Hidden = 1,

    /// <summary>Clients see it and do not set it.</summary>
    ReadOnly = 2,

    /// <summary>A column with text that holds JSON.</summary>
    Json = 4,
}

/// <summary>What a column's values are in JSON.</summary>
public enum ColumnKind
{
    /// <summary>A whole number.</summary>
    WholeNumber,

    /// <summary>A number with all its digits, as a string: programs read JSON's numbers with some sixteen.</summary>
    ExactNumber,

    /// <summary>A floating-point number; what JSON has no number for is a string.</summary>
    FloatingNumber,

    Boolean,

    Text,

    /// <summary><c>2024-01-31</c></summary>
    Date,

    /// <summary><c>23:59:59</c></summary>
    Time,

    /// <summary><c>2024-01-31T23:59:59</c>, of no time zone.</summary>
    DateTime,

    /// <summary><c>2024-01-31T23:59:59Z</c></summary>
    Instant,

    Uuid,

    /// <summary>Base64 in a string.</summary>
    Binary,

    /// <summary>Any JSON value.</summary>
    Json,

    /// <summary>A type that only the database knows, as it writes it.</summary>
    Other,

    /// <summary>SQLite's columns without a type: each value has its own.</summary>
    Any,
}
