using Microsoft.AspNetCore.RateLimiting;

namespace FastCgi.WebServerTests.Framework;

public sealed class LimitTests
{
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Rate_limiting_refuses_what_is_too_much(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseRateLimiter();
                app.MapPost("/", () => "served").RequireRateLimiting("two");
            },
            builder => builder.Services.AddRateLimiter(options =>
            {
                options.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
                options.AddFixedWindowLimiter("two", window =>
                {
                    window.PermitLimit = 2;
                    window.Window = TimeSpan.FromHours(1);
                });
            }));

        const string Request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
        Assert.Equal(200, (await site.SendAsync(Request)).Status);
        Assert.Equal(200, (await site.SendAsync(Request)).Status);
        Assert.Equal(429, (await site.SendAsync(Request)).Status);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_request_timeout_cancels_the_endpoint_and_answers_504(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseRequestTimeouts();
                app.MapGet("/", (CancellationToken aborted) => Task.Delay(Timeout.Infinite, aborted))
                    .WithRequestTimeout(TimeSpan.FromMilliseconds(50));
            },
            builder => builder.Services.AddRequestTimeouts());

        Assert.Equal(504, (await site.AskAsync("/")).Status);
    }
}
