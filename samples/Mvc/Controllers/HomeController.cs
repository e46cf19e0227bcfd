using Microsoft.AspNetCore.Mvc;

namespace MvcSample.Controllers;

public sealed class HomeController : Controller
{
    private const string VisitsKey = "visits";

    [HttpGet("/")]
    [HttpHead("/")]
    public async Task<IActionResult> Index(CancellationToken cancellationToken)
    {
        await HttpContext.Session.LoadAsync(cancellationToken);
        var visits = (HttpContext.Session.GetInt32(VisitsKey) ?? 0) + 1;
        HttpContext.Session.SetInt32(VisitsKey, visits);
        return View(visits);
    }

    [HttpPost("/forget")]
    public IActionResult Forget()
    {
        HttpContext.Session.Remove(VisitsKey);
        return RedirectToAction(nameof(Index));
    }

    [HttpGet("/fail")]
    public IActionResult Fail() => throw new InvalidOperationException("Thrown on purpose, to show the error page.");
}
