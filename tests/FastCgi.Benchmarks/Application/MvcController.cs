using Microsoft.AspNetCore.Mvc;

namespace FastCgi.Benchmarks.Application;

/// <summary>The workloads that go through the whole of MVC.</summary>
[Route("mvc")]
public sealed class MvcController : Controller
{
    private static readonly IReadOnlyList<PageRow> s_rows = [.. Enumerable.Range(1, 160)
        .Select(static number => new PageRow(number, $"Customer <{number}> & Sons", number * 1.25m))];

    [HttpGet("plaintext")]
    public ContentResult Plaintext() => Content("Hello, World!", "text/plain");

    [HttpGet("json")]
    public JsonResult Json() => Json(new Greeting("Hello, World!"));

    [HttpGet("page")]
    public ViewResult Page() => View("/Views/Page.cshtml", s_rows);
}
