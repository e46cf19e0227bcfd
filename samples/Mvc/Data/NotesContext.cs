using Microsoft.EntityFrameworkCore;
using MvcSample.Models;

namespace MvcSample.Data;

public sealed class NotesContext(DbContextOptions<NotesContext> options) : DbContext(options)
{
    public DbSet<Note> Notes => Set<Note>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        var note = modelBuilder.Entity<Note>();
        note.Property(n => n.Author).HasMaxLength(NoteInput.MaxAuthor);
        note.Property(n => n.Text).HasMaxLength(NoteInput.MaxText);
        note.Property(n => n.Website).HasMaxLength(NoteInput.MaxWebsite);
        note.HasIndex(n => n.Form).IsUnique();

        // SQLite stores no kind with a time; without this the API would show it without its "Z".
        note.Property(n => n.Written)
            .HasConversion(time => time, stored => DateTime.SpecifyKind(stored, DateTimeKind.Utc));
    }
}
