using System.ComponentModel.DataAnnotations;
using System.Text.Json.Serialization;
using MvcSample.Data;

namespace MvcSample.Models;

/// <summary>What a visitor may say about a note, in the form and in the API alike.</summary>
public sealed class NoteInput
{
    public const int MaxAuthor = 40;
    public const int MaxText = 500;
    public const int MaxWebsite = 200;

    [Display(Name = "Name")]
    [Required(ErrorMessage = "Please enter your name.")]
    [VisibleText(ErrorMessage = "Please enter a name that can be seen.")]
    [StringLength(MaxAuthor, MinimumLength = 2, ErrorMessage = "A name has {2} to {1} characters.")]
    public string Author { get; set; } = "";

    [Display(Name = "Note")]
    [Required(ErrorMessage = "Please write something.")]
    [VisibleText(ErrorMessage = "Please write something that can be seen.")]
    [StringLength(MaxText, ErrorMessage = "A note has at most {1} characters.")]
    public string Text
    {
        get;
        // A form sends two characters for a line break, which the browser's counter counts as one.
        set => field = value?.ReplaceLineEndings("\n")!;
    } = "";

    [Display(Name = "Website (optional)")]
    [WebAddress(ErrorMessage = "A website begins with https:// or http://.")]
    [StringLength(MaxWebsite, ErrorMessage = "A website has at most {1} characters.")]
    public string? Website { get; set; }

    /// <summary>Names the form that the page shows, so that a double click writes one note.</summary>
    [JsonIgnore]
    public Guid Form { get; set; } = Guid.NewGuid();

    public Note ToNote(TimeProvider time) => new()
    {
        Author = Author,
        Text = Text,
        Website = Website,
        Form = Form,
        Written = time.GetUtcNow().UtcDateTime,
    };

    public void CopyTo(Note note)
    {
        note.Author = Author;
        note.Text = Text;
        note.Website = Website;
    }
}
