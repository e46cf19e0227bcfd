using System.ComponentModel.DataAnnotations;
using MvcSample.Data;

namespace MvcSample.Models;

/// <summary>What a visitor may say about a note, in the form and in the API alike.</summary>
public sealed class NoteInput
{
    public const int MaxAuthor = 40;
    public const int MaxText = 500;
    public const int MaxWebsite = 200;

    [Display(Name = "Name")]
    [Required, StringLength(MaxAuthor, MinimumLength = 2)]
    public string Author { get; set; } = "";

    [Display(Name = "Note")]
    [Required, StringLength(MaxText)]
    public string Text { get; set; } = "";

    [Url, StringLength(MaxWebsite)]
    public string? Website { get; set; }

    public Note ToNote(TimeProvider time)
        => new() { Author = Author, Text = Text, Website = Website, Written = time.GetUtcNow().UtcDateTime };

    public void CopyTo(Note note)
    {
        note.Author = Author;
        note.Text = Text;
        note.Website = Website;
    }
}
