using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Says once what became of addresses that are not listened on.</summary>
internal sealed partial class AddressNotices(ILogger logger)
{
    public void NotBound(IEnumerable<string> addresses)
    {
        string list = string.Join(", ", addresses);
        if (list.Length > 0)
        {
            LogNotBound(logger, list);
        }
    }

    public void Overridden(ICollection<string> addresses)
    {
        if (addresses.Count > 0)
        {
            LogOverridden(logger, string.Join(", ", addresses));
        }
    }

    [LoggerMessage(LogEvents.AddressNotBound, LogLevel.Warning,
        "Not listening on {Addresses}: this server speaks FastCGI, not HTTP. Remove the address (ASPNETCORE_URLS, " +
        "ASPNETCORE_HTTP_PORTS, launch profile), or give one like fastcgi://127.0.0.1:9000.",
        EventName = nameof(LogEvents.AddressNotBound))]
    private static partial void LogNotBound(ILogger logger, string addresses);

    [LoggerMessage(LogEvents.AddressesOverridden, LogLevel.Warning,
        "Overriding address(es) '{Addresses}': the endpoints of UseFastCgi and of the section FastCgi are used instead.",
        EventName = nameof(LogEvents.AddressesOverridden))]
    private static partial void LogOverridden(ILogger logger, string addresses);
}
