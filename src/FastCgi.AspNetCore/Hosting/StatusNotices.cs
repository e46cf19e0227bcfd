using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Says at the start where the pages of the server are, and what is wrong with them.</summary>
internal sealed partial class StatusNotices(ILogger logger)
{
    public void Pages(FastCgiServerOptions options, string? invalidClient)
    {
        FastCgiStatusOptions status = options.Status;
        if (invalidClient is not null)
        {
            LogInvalidClient(logger, invalidClient);
        }
        else if (status.Path is { } path && status.Endpoint is null && status.AllowedClients.Count == 0)
        {
            LogNobodyAllowed(logger, path);
        }

        foreach (string page in new[] { status.Path, status.PingPath }.OfType<string>())
        {
            if (HasRoute(options.ApplicationServices, page))
            {
                LogRouteHidden(logger, page);
            }
        }
    }

    public void Listening(string addresses) => LogListening(logger, addresses);

    /// <summary>A route without parameters that stands for the path alone.</summary>
    private static bool HasRoute(IServiceProvider? services, string path) =>
        services?.GetServices<EndpointDataSource>()
            .SelectMany(static source => source.Endpoints)
            .OfType<RouteEndpoint>()
            .Any(route => string.Equals(
                route.RoutePattern.RawText?.Trim('/'), path.Trim('/'), StringComparison.OrdinalIgnoreCase)) == true;

    [LoggerMessage(LogEvents.StatusListening, LogLevel.Information,
        "The status page and the ping are served on {Addresses}.", EventName = nameof(LogEvents.StatusListening))]
    private static partial void LogListening(ILogger logger, string addresses);

    [LoggerMessage(LogEvents.StatusForNobody, LogLevel.Warning,
        "No client may read the status page {Path}. Add addresses of clients to FastCgi:Status:AllowedClients, or " +
        "set FastCgi:Status:Endpoint.",
        EventName = nameof(LogEvents.StatusForNobody))]
    private static partial void LogNobodyAllowed(ILogger logger, string path);

    [LoggerMessage(LogEvents.InvalidStatusClient, LogLevel.Error,
        "No client may read the status page: '{Entry}' in FastCgi:Status:AllowedClients is neither an address nor a " +
        "CIDR range. Write entries like 10.0.0.5, 10.0.0.0/8 or fd00::/8.",
        EventName = nameof(LogEvents.InvalidStatusClient))]
    private static partial void LogInvalidClient(ILogger logger, string entry);

    [LoggerMessage(LogEvents.StatusHidesRoute, LogLevel.Warning,
        "The application has a route '{Path}' that no request reaches: the server answers this path itself. Change " +
        "the route, or FastCgi:Status:Path or PingPath.",
        EventName = nameof(LogEvents.StatusHidesRoute))]
    private static partial void LogRouteHidden(ILogger logger, string path);
}
