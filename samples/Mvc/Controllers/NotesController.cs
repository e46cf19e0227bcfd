using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using MvcSample.Data;
using MvcSample.Hosting;
using MvcSample.Models;

namespace MvcSample.Controllers;

[Route("notes")]
public sealed class NotesController(NotesContext notes, TimeProvider time, ILogger<NotesController> log) : Controller
{
    private const int Shown = 50;

    [HttpGet("")]
    [HttpHead("")]
    public Task<IActionResult> Index(int? before, CancellationToken cancellationToken)
        => PageAsync(new NoteInput(), before, cancellationToken);

    [HttpPost("")]
    public async Task<IActionResult> Create(
        [Bind(Prefix = nameof(GuestbookPage.Input))] NoteInput input, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid)
        {
            return await PageAsync(input, before: null, cancellationToken);
        }

        await WriteAsync(input, cancellationToken);
        TempData["Message"] = $"Thank you, {input.Author}.";
        return RedirectToAction(nameof(Index));
    }

    /// <summary>Asks before it deletes. It is also where a visitor lands who has to sign in first.</summary>
    [Authorize]
    [HttpGet("{id:int}/delete")]
    public async Task<IActionResult> Delete(int id, CancellationToken cancellationToken)
        => await notes.Notes.FindAsync([id], cancellationToken) is { } note ? View(note) : NotFound();

    [Authorize]
    [HttpPost("{id:int}/delete")]
    [ActionName(nameof(Delete))]
    public async Task<IActionResult> DeleteConfirmed(int id, CancellationToken cancellationToken)
    {
        var deleted = await notes.Notes.Where(note => note.Id == id).ExecuteDeleteAsync(cancellationToken);
        if (deleted > 0)
        {
            log.NoteDeleted(User.Identity?.Name, id);
        }

        TempData["Message"] = deleted == 0 ? "That note was gone already." : "The note is gone.";
        return RedirectToAction(nameof(Index));
    }

    /// <summary>Writes the note of a form once, however often the form is sent.</summary>
    private async Task WriteAsync(NoteInput input, CancellationToken cancellationToken)
    {
        notes.Notes.Add(input.ToNote(time));
        try
        {
            await notes.SaveChangesAsync(cancellationToken);
        }
        catch (DbUpdateException)
        {
            // The form's name is unique in the database, so the attempt that came second fails.
            if (!await notes.Notes.AnyAsync(note => note.Form == input.Form, cancellationToken))
            {
                throw;
            }
        }
    }

    /// <summary>
    /// By the number of a note and not of a page, so that notes which come meanwhile move nothing to the next page.
    /// </summary>
    private async Task<IActionResult> PageAsync(NoteInput input, int? before, CancellationToken cancellationToken)
    {
        var found = await notes.Notes.AsNoTracking()
            .Where(note => before == null || note.Id < before)
            .OrderByDescending(note => note.Id)
            .Take(Shown + 1)
            .ToListAsync(cancellationToken);
        return View("Index", new GuestbookPage([.. found.Take(Shown)], before, found.Count > Shown, input));
    }
}
