using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using MvcSample.Data;
using MvcSample.Hosting;
using MvcSample.Models;

namespace MvcSample.Controllers;

/// <summary>
/// The guestbook as JSON; failures are problem details. No antiforgery token is asked for: a foreign page cannot send
/// JSON here without a CORS permission, and the sign-in cookie is SameSite=Lax.
/// </summary>
[ApiController]
[IgnoreAntiforgeryToken]
[Route("api/notes")]
public sealed class NotesApiController(NotesContext notes, TimeProvider time, ILogger<NotesApiController> log) : ControllerBase
{
    private const int MaxTake = 100;

    [HttpGet]
    public async Task<ActionResult<IReadOnlyList<Note>>> List(
        int skip = 0, int take = 20, CancellationToken cancellationToken = default)
        => await notes.Notes.AsNoTracking()
            .OrderByDescending(note => note.Id)
            .Skip(Math.Max(skip, 0))
            .Take(Math.Clamp(take, 1, MaxTake))
            .ToListAsync(cancellationToken);

    [HttpGet("{id:int}")]
    public async Task<ActionResult<Note>> Get(int id, CancellationToken cancellationToken)
        => await notes.Notes.FindAsync([id], cancellationToken) is { } note ? note : NotFound();

    [HttpPost]
    public async Task<ActionResult<Note>> Create(NoteInput input, CancellationToken cancellationToken)
    {
        var note = input.ToNote(time);
        notes.Notes.Add(note);
        await notes.SaveChangesAsync(cancellationToken);
        return CreatedAtAction(nameof(Get), new { id = note.Id }, note);
    }

    [Authorize]
    [HttpPut("{id:int}")]
    public async Task<ActionResult<Note>> Update(int id, NoteInput input, CancellationToken cancellationToken)
    {
        if (await notes.Notes.FindAsync([id], cancellationToken) is not { } note)
        {
            return NotFound();
        }

        input.CopyTo(note);
        await notes.SaveChangesAsync(cancellationToken);
        return note;
    }

    [Authorize]
    [HttpDelete("{id:int}")]
    public async Task<IActionResult> Delete(int id, CancellationToken cancellationToken)
    {
        var deleted = await notes.Notes.Where(note => note.Id == id).ExecuteDeleteAsync(cancellationToken);
        if (deleted == 0)
        {
            return NotFound();
        }

        log.NoteDeleted(User.Identity?.Name, id);
        return NoContent();
    }
}
