using System.Diagnostics;
using FastCgiMvc.Models;
using Microsoft.AspNetCore.Mvc;

namespace FastCgiMvc.Controllers;

public class HomeController : Controller
{
    [HttpGet, HttpHead]
    public IActionResult Index() => View(new Greeting());

    [HttpPost]
    public IActionResult Index(Greeting greeting) => View(greeting);

    // A failed POST runs here too, even one that failed because of its token.
    [IgnoreAntiforgeryToken]
    [ResponseCache(Duration = 0, Location = ResponseCacheLocation.None, NoStore = true)]
    public IActionResult Error(int? id)
    {
        // The log has the id too: hosting adds it to the scope of each entry.
        ViewData["RequestId"] = Activity.Current?.Id ?? HttpContext.TraceIdentifier;
        return View(id ?? StatusCodes.Status500InternalServerError);
    }
}
