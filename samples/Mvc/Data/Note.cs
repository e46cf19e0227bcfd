using System.Text.Json.Serialization;

namespace MvcSample.Data;

/// <summary>An entry of the guestbook as it is stored.</summary>
public sealed class Note
{
    public int Id { get; set; }

    public required string Author { get; set; }

    public required string Text { get; set; }

    public string? Website { get; set; }

    /// <summary>The form that the note was written in: a form that is sent twice is one note.</summary>
    [JsonIgnore]
    public Guid Form { get; set; }

    /// <summary>In UTC.</summary>
    public DateTime Written { get; set; }
}
