using System.Threading.RateLimiting;
using ChatSample.Hosting;
using Microsoft.AspNetCore.SignalR;

namespace ChatSample;

/// <summary>Refuses calls of a connection that come too fast for the others to read.</summary>
public sealed class ChatPace(ILogger<ChatPace> log) : IHubFilter
{
    private const string LimiterKey = "pace";

    public async ValueTask<object?> InvokeMethodAsync(
        HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        var limiter = (ReplenishingRateLimiter)invocationContext.Context.Items[LimiterKey]!;
        limiter.TryReplenish();
        using var lease = limiter.AttemptAcquire();
        if (!lease.IsAcquired)
        {
            log.TooFast(invocationContext.Context.ConnectionId);
            throw new HubException("That was too fast: wait a moment.");
        }

        return await next(invocationContext);
    }

    public async Task OnConnectedAsync(HubLifetimeContext context, Func<HubLifetimeContext, Task> next)
    {
        // Without a timer of its own, so that nothing is left of it when the connection ends.
        context.Context.Items[LimiterKey] = new TokenBucketRateLimiter(new TokenBucketRateLimiterOptions
        {
            TokenLimit = 100,
            TokensPerPeriod = 5,
            ReplenishmentPeriod = TimeSpan.FromSeconds(1),
            AutoReplenishment = false,
            QueueLimit = 0,
        });
        await next(context);
    }
}
