using System.Globalization;
using System.Net.Sockets;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Diagnostics;

namespace ShopSample.Hosting;

/// <summary>ASP.NET Core's rate limiter: how often one client may change its basket and order.</summary>
internal static class WriteLimits
{
    public static void AddWriteLimits(this IServiceCollection services) => services.AddRateLimiter(static limiter =>
    {
        limiter.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
        limiter.OnRejected = static (rejected, _) =>
        {
            if (rejected.Lease.TryGetMetadata(MetadataName.RetryAfter, out var wait))
            {
                rejected.HttpContext.Response.Headers.RetryAfter =
                    Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
            }

            rejected.HttpContext.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger(typeof(WriteLimits))
                .TooFast(rejected.HttpContext.Connection.RemoteIpAddress);
            return ValueTask.CompletedTask;
        };
        limiter.GlobalLimiter = PartitionedRateLimiter.Create<HttpContext, string>(static context =>
            // A partition keeps the limiter that it was made with, so reads have a key that no client has.
            IsWrite(context)
                ? RateLimitPartition.GetTokenBucketLimiter(ClientOf(context), static _ => new()
                {
                    TokenLimit = 200,
                    TokensPerPeriod = 2,
                    ReplenishmentPeriod = TimeSpan.FromSeconds(1),
                })
                : RateLimitPartition.GetNoLimiter("reads"));
    });

    private static bool IsWrite(HttpContext context) =>
        !HttpMethods.IsGet(context.Request.Method)
        && !HttpMethods.IsHead(context.Request.Method)
        // The page that says so is no further attempt.
        && context.Features.Get<IStatusCodeReExecuteFeature>() is null;

    /// <summary>The address; of IPv6 the network, in which a client has as many addresses as it wants.</summary>
    private static string ClientOf(HttpContext context) => context.Connection.RemoteIpAddress switch
    {
        null => "",
        { AddressFamily: AddressFamily.InterNetworkV6, IsIPv4MappedToIPv6: false } address =>
            Convert.ToHexString(address.GetAddressBytes()[..8]),
        var address => address.MapToIPv4().ToString(),
    };
}
