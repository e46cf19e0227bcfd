using System.Net.Mime;
using Microsoft.AspNetCore.Mvc;

namespace WaveSample.Controllers;

/// <summary>The same answers through the whole of MVC: routing, action, result.</summary>
[Route("mvc")]
public sealed class WaveController : ControllerBase
{
    [HttpGet("plaintext")]
    public ContentResult Plaintext() => Content("Hello, World!", MediaTypeNames.Text.Plain);

    [HttpGet("json")]
    public JsonResult Json() => new(Greeting.HelloWorld);
}
