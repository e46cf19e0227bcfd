using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.WebUtilities;
using MvcSample.Models;

namespace MvcSample.Controllers;

/// <summary>Where failed requests run again: problem details for the API, a page for everybody else.</summary>
[IgnoreAntiforgeryToken]
[ApiExplorerSettings(IgnoreApi = true)]
public sealed class ErrorController : Controller
{
    [Route("error/{status:int}")]
    [ResponseCache(Location = ResponseCacheLocation.None, NoStore = true)]
    public IActionResult Index(int status)
    {
        // Who types this address in has met no error.
        if (FailedPath() is not { } path || status is < 400 or > 599)
        {
            status = StatusCodes.Status404NotFound;
            path = Request.Path;
        }

        if (path.StartsWithSegments("/api", StringComparison.OrdinalIgnoreCase))
        {
            return Problem(statusCode: status);
        }

        Response.StatusCode = status;
        return View("Index", new ErrorPage(status, ReasonPhrases.GetReasonPhrase(status), HttpContext.TraceIdentifier));
    }

    private PathString? FailedPath()
        => HttpContext.Features.Get<IExceptionHandlerPathFeature>()?.Path
            ?? HttpContext.Features.Get<IStatusCodeReExecuteFeature>()?.OriginalPath;
}
