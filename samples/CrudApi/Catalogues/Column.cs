using System.Text.Encodings.Web;
using System.Text.Json;

namespace CrudApiSample.Catalogues;

/// <summary>A column as the database's catalogue describes it.</summary>
/// <param name="Name">Exactly as in the catalogue.</param>
/// <param name="Quoted">The name in SQL.</param>
/// <param name="Type">The database's own name of the type.</param>
public sealed record Column(string Name, string Quoted, ColumnKind Kind, string Type)
{
    /// <summary>What selects it in the form that the database's class writes as JSON.</summary>
    public string Selected { get; init; } = Quoted;

    /// <summary>The name in JSON, escaped once.</summary>
    public JsonEncodedText Property { get; } =
        JsonEncodedText.Encode(Name, JavaScriptEncoder.UnsafeRelaxedJsonEscaping);

    public bool IsNullable { get; init; }

    /// <summary>The default in SQL; null when there is none.</summary>
    public string? Default { get; init; }

    /// <summary>The database numbers new records by itself.</summary>
    public bool IsAutoNumber { get; init; }

    /// <summary>The database computes it, and takes no value.</summary>
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
