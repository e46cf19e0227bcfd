using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Net.Http.Headers;
using MvcSample.Hosting;
using MvcSample.Models;
using MvcSample.Storage;

namespace MvcSample.Controllers;

[Route("files")]
public sealed class FilesController(UploadStore uploads, ILogger<FilesController> log) : Controller
{
    // A multipart body is a little longer than the file in it.
    private const long MaxBodySize = UploadStore.MaxFileSize + 64 * 1024;

    [HttpGet("")]
    [HttpHead("")]
    public IActionResult Index() => View("Index", uploads.List());

    [Authorize]
    [HttpPost("")]
    [RequestSizeLimit(MaxBodySize)]
    [RequestFormLimits(MultipartBodyLengthLimit = MaxBodySize)]
    public async Task<IActionResult> Upload(IFormFile? file, CancellationToken cancellationToken)
    {
        if (file is null)
        {
            ModelState.AddModelError("", "Choose a file first.");
        }
        else if (file.Length > UploadStore.MaxFileSize)
        {
            log.UploadRefused(User.Identity?.Name, file.Length);
            ModelState.AddModelError("", $"The file has more than {FileSize.Format(UploadStore.MaxFileSize)}.");
        }
        else
        {
            var name = await uploads.SaveAsync(file, cancellationToken);
            log.Uploaded(User.Identity?.Name, name, file.Length);
            TempData["Message"] = $"Saved as {name}.";
            return RedirectToAction(nameof(Index));
        }

        return Index();
    }

    [HttpGet("{name}")]
    [HttpHead("{name}")]
    public IActionResult Download(string name)
    {
        if (uploads.Find(name) is not { } file)
        {
            return NotFound();
        }

        // Always as an attachment of no particular type: an uploaded page must not run as one of this site.
        var etag = new EntityTagHeaderValue($"\"{file.LastWriteTimeUtc.Ticks:x}-{file.Length:x}\"");
        const string AnyType = "application/octet-stream";
        return PhysicalFile(
            file.FullName, AnyType, file.Name, file.LastWriteTimeUtc, etag, enableRangeProcessing: true);
    }

    /// <summary>Asks before it deletes. It is also where a visitor lands who has to sign in first.</summary>
    [Authorize]
    [HttpGet("{name}/delete")]
    public IActionResult Delete(string name) => uploads.Find(name) is { } file ? View(file) : NotFound();

    [Authorize]
    [HttpPost("{name}/delete")]
    [ActionName(nameof(Delete))]
    public IActionResult DeleteConfirmed(string name)
    {
        if (uploads.Find(name) is not { } file)
        {
            return NotFound();
        }

        file.Delete();
        log.FileDeleted(User.Identity?.Name, file.Name);
        TempData["Message"] = $"{file.Name} is gone.";
        return RedirectToAction(nameof(Index));
    }
}
