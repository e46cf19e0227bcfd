using MvcSample.Data;

namespace MvcSample.Models;

/// <summary>Some notes, the newest first, and the form as it was sent.</summary>
/// <param name="Notes">The notes of this page.</param>
/// <param name="Before">The page has only notes before this one; null for the latest.</param>
/// <param name="HasOlder">There are notes before the last of this page.</param>
/// <param name="Input">The form.</param>
public sealed record GuestbookPage(IReadOnlyList<Note> Notes, int? Before, bool HasOlder, NoteInput Input);
