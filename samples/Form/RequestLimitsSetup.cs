using System.Threading.RateLimiting;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;

namespace FormSample;

/// <summary>ASP.NET Core's rate limiter, with one limit for all requests together.</summary>
internal static class RequestLimitsSetup
{
    public static void AddRequestLimits(this IServiceCollection services)
    {
        services.AddOptions<RequestLimits>()
            .BindConfiguration(RequestLimits.Section).ValidateDataAnnotations().ValidateOnStart();
        services.AddRateLimiter(static limiter =>
        {
            limiter.RejectionStatusCode = StatusCodes.Status503ServiceUnavailable;
            limiter.OnRejected = static async (rejected, _) =>
            {
                var context = rejected.HttpContext;
                var limits = context.RequestServices.GetRequiredService<IOptions<RequestLimits>>().Value;
                context.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger(nameof(RequestLimits))
                    .Overloaded(limits.MaxConcurrent, limits.QueueLimit);
                context.Response.Headers.RetryAfter = "1";
                await FormHandler.WritePageAsync(
                    context, posted: "", "There are too many requests. Try again in a second.");
            };
        });
        services.AddOptions<RateLimiterOptions>()
            .Configure(static (RateLimiterOptions limiter, IOptions<RequestLimits> limits) =>
                limiter.GlobalLimiter = CreateLimiter(limits.Value));
    }

    private static PartitionedRateLimiter<HttpContext> CreateLimiter(RequestLimits limits) =>
        PartitionedRateLimiter.Create<HttpContext, string>(_ => RateLimitPartition.GetConcurrencyLimiter(
            "all requests",
            _ => new ConcurrencyLimiterOptions
            {
                PermitLimit = limits.MaxConcurrent,
                QueueLimit = limits.QueueLimit,
                QueueProcessingOrder = QueueProcessingOrder.OldestFirst,
            }));
}
