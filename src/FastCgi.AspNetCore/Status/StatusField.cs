namespace FastCgi.AspNetCore.Status;

/// <summary>One field of the status page, for every format.</summary>
/// <param name="Name">PHP-FPM's name in JSON and HTML.</param>
/// <param name="Number">The value as a number; null for a text, and for a number that is unknown.</param>
/// <param name="Text">The value as a text; null: the number.</param>
internal readonly record struct StatusField(string Name, double? Number, string? Text = null)
{
    /// <summary>The name in the text format, where it differs.</summary>
    public string? NameInText { get; init; }

    /// <summary>The value is a date in the formats for people, and a number in the others.</summary>
    public bool IsDate { get; init; }

    /// <summary>Decimal places.</summary>
    public int Decimals { get; init; }

    /// <summary>The name as an XML element.</summary>
    public string ElementName => Name.Replace(' ', '-');
}
