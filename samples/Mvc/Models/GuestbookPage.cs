using MvcSample.Data;

namespace MvcSample.Models;

/// <summary>The latest notes, and the form as it was sent.</summary>
public sealed record GuestbookPage(IReadOnlyList<Note> Notes, NoteInput Input);
