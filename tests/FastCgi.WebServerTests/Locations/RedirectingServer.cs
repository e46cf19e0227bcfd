namespace FastCgi.WebServerTests.Locations;

/// <summary>A web server with one configuration for both back ends, and the requests that are sent through it.</summary>
/// <param name="Name">As the page shows it.</param>
/// <param name="Start">Starts it in front of the application, in a folder with the files that it needs.</param>
/// <param name="Rows">What is asked for.</param>
internal sealed record RedirectingServer(
    string Name, Func<RedirectBackEnd, Task<WebServer>> Start, IReadOnlyList<RedirectRow> Rows);
