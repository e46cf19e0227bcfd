using Microsoft.AspNetCore.SignalR.Client;

namespace FastCgi.SampleTests.Hubs;

/// <summary>Tries again at once, and for as long as it takes; the test has the deadline.</summary>
internal sealed class EagerRetries : IRetryPolicy
{
    public TimeSpan? NextRetryDelay(RetryContext retryContext) => TimeSpan.FromMilliseconds(50);
}
