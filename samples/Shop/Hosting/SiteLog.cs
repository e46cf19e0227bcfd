using System.Net;

namespace ShopSample.Hosting;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "Order {Number} was placed: {Items} items for {Total}.")]
    public static partial void OrderPlaced(this ILogger logger, string number, int items, string total);

    [LoggerMessage(2, LogLevel.Information,
        "Order {Number} was not placed: there is not enough of item {Item}, or it has another price.")]
    public static partial void OrderShort(this ILogger logger, string number, int? item);

    [LoggerMessage(3, LogLevel.Warning, "{Address} sends too much: a request was refused.")]
    public static partial void TooFast(this ILogger logger, IPAddress? address);
}
