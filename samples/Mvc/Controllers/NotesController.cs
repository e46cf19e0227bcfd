using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using MvcSample.Data;
using MvcSample.Models;

namespace MvcSample.Controllers;

[Route("notes")]
public sealed class NotesController(NotesContext notes, TimeProvider time) : Controller
{
    private const int Shown = 50;

    [HttpGet("")]
    [HttpHead("")]
    public Task<IActionResult> Index(CancellationToken cancellationToken)
        => PageAsync(new NoteInput(), cancellationToken);

    [HttpPost("")]
    public async Task<IActionResult> Create(
        [Bind(Prefix = nameof(GuestbookPage.Input))] NoteInput input, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid)
        {
            return await PageAsync(input, cancellationToken);
        }

        notes.Notes.Add(input.ToNote(time));
        await notes.SaveChangesAsync(cancellationToken);
        TempData["Message"] = $"Thank you, {input.Author}.";
        return RedirectToAction(nameof(Index));
    }

    [Authorize]
    [HttpPost("{id:int}/delete")]
    public async Task<IActionResult> Delete(int id, CancellationToken cancellationToken)
    {
        var deleted = await notes.Notes.Where(note => note.Id == id).ExecuteDeleteAsync(cancellationToken);
        TempData["Message"] = deleted == 0 ? "That note was gone already." : "The note is gone.";
        return RedirectToAction(nameof(Index));
    }

    private async Task<IActionResult> PageAsync(NoteInput input, CancellationToken cancellationToken)
    {
        var latest = await notes.Notes.AsNoTracking()
            .OrderByDescending(note => note.Id)
            .Take(Shown)
            .ToListAsync(cancellationToken);
        return View("Index", new GuestbookPage(latest, input));
    }
}
