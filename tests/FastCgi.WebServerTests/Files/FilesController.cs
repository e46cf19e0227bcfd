using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Files;

/// <summary>Files as MVC sends them.</summary>
public sealed class FilesController : ControllerBase
{
    [HttpGet("/mvc")]
    public IActionResult Get(string path) => PhysicalFile(path, "text/x-test", enableRangeProcessing: true);
}
