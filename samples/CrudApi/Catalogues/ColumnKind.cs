namespace CrudApiSample.Catalogues;

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
