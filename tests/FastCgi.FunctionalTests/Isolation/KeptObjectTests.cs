using System.Text;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Features.Authentication;

namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// What an application keeps of a request is dead when that request has ended: used while the next one runs, it throws
/// or does nothing, and the next client never sees it.
/// </summary>
public sealed class KeptObjectTests : FunctionalTest
{
    private const string Mark = "X-Mark";

    /// <summary>Each takes something of a request, and returns what a task that kept it may still do.</summary>
    private static readonly Dictionary<string, Func<HttpContext, Func<Task>>> s_kept = new()
    {
        ["context"] = context => () =>
        {
            context.Response.Headers[Mark] = "kept";
            return context.Response.WriteAsync("kept");
        },
        ["context, aborted"] = context => () =>
        {
            context.Abort();
            return Task.CompletedTask;
        },
        ["context's items"] = context => () =>
        {
            context.Items[Mark] = "kept";
            return Task.CompletedTask;
        },
        ["request"] = context =>
        {
            var request = context.Request;
            return () =>
            {
                request.Path = "/kept";
                request.Headers[Mark] = "kept";
                request.Method = "KEPT";
                return Task.CompletedTask;
            };
        },
        ["response"] = context =>
        {
            var response = context.Response;
            return () =>
            {
                response.StatusCode = 299;
                return response.WriteAsync("kept");
            };
        },
        ["response, started"] = context =>
        {
            var response = context.Response;
            return () => response.StartAsync();
        },
        ["response, completed"] = context =>
        {
            var response = context.Response;
            return () => response.CompleteAsync();
        },
        ["response headers"] = context =>
        {
            var headers = context.Response.Headers;
            return () =>
            {
                headers[Mark] = "kept";
                headers.ContentLength = 3;
                return Task.CompletedTask;
            };
        },
        ["response cookies"] = context =>
        {
            var cookies = context.Response.Cookies;
            return () =>
            {
                cookies.Append("kept", "kept");
                return Task.CompletedTask;
            };
        },
        ["request headers"] = context =>
        {
            var headers = context.Request.Headers;
            return () =>
            {
                headers[Mark] = "kept";
                return Task.CompletedTask;
            };
        },
        ["response writer"] = context =>
        {
            var writer = context.Response.BodyWriter;
            return async () =>
            {
                Encoding.UTF8.GetBytes("kept", writer);
                await writer.FlushAsync();
            };
        },
        ["response writer, written at once"] = context =>
        {
            var writer = context.Response.BodyWriter;
            return async () => await writer.WriteAsync("kept"u8.ToArray());
        },
        ["response writer, completed"] = context =>
        {
            var writer = context.Response.BodyWriter;
            return () =>
            {
                writer.Complete(new InvalidOperationException("kept"));
                return Task.CompletedTask;
            };
        },
        ["response stream"] = context =>
        {
            var body = context.Response.Body;
            return () => body.WriteAsync("kept"u8.ToArray()).AsTask();
        },
        ["features"] = context =>
        {
            var features = context.Features;
            return () =>
            {
                features.Set(new KeptFeature());
                features.GetRequiredFeature<IHttpResponseFeature>().StatusCode = 299;
                return Task.CompletedTask;
            };
        },
        ["response feature"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpResponseFeature>();
            return () =>
            {
                feature.Headers[Mark] = "kept";
                feature.StatusCode = 299;
                return Task.CompletedTask;
            };
        },
        ["response feature, callback"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpResponseFeature>();
            return () =>
            {
                feature.OnStarting(_ => throw new InvalidOperationException("kept"), "");
                return Task.CompletedTask;
            };
        },
        ["response body feature"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpResponseBodyFeature>();
            return () => feature.StartAsync();
        },
        ["response body feature, file"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpResponseBodyFeature>();
            return () => feature.SendFileAsync(typeof(KeptObjectTests).Assembly.Location, 0, 100);
        },
        ["request feature"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpRequestFeature>();
            return () =>
            {
                feature.Path = "/kept";
                return Task.CompletedTask;
            };
        },
        ["lifetime feature"] = context =>
        {
            var feature = context.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
            return () =>
            {
                feature.Abort();
                return Task.CompletedTask;
            };
        },
        ["user"] = context =>
        {
            var feature = context.Features;
            return () =>
            {
                feature.Set<IHttpAuthenticationFeature>(new HttpAuthenticationFeature
                {
                    User = new(new System.Security.Claims.ClaimsIdentity("kept")),
                });
                return Task.CompletedTask;
            };
        },
    };

    public static TheoryData<string> Kept { get; } = [.. s_kept.Keys];

    [Theory, MemberData(nameof(Kept))]
    public async Task What_is_kept_of_a_request_does_not_reach_the_next(string kept)
    {
        Func<Task>? use = null;
        var seen = "";
        var peer = await StartAndConnectAsync(async context =>
        {
            if (use is null)
            {
                use = s_kept[kept](context);
                return;
            }

            await UseAsync(use);
            seen = $"{context.Request.Method} {context.Request.Path} {context.Request.Headers[Mark]} "
                + $"{context.Items.Count} {context.User.Identity?.IsAuthenticated} "
                + $"{context.Features.Get<KeptFeature>() is not null} {context.RequestAborted.IsCancellationRequested}";
            await context.Response.WriteAsync("own");
        });

        Assert.Equal(200, (await peer.RoundTripAsync(Get("/first"))).StatusCode);
        var second = await peer.RoundTripAsync(Get("/second"));

        Assert.Equal("GET /second  0 False False False", seen);
        Assert.Equal((200, "own"), (second.StatusCode, second.BodyText));
        Assert.Null(second.Header(Mark));
        Assert.Null(second.Header("Set-Cookie"));
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_kept_token_is_not_cancelled_by_the_abort_of_another_request()
    {
        var kept = CancellationToken.None;
        SyncPoint aborted = "the abort of the second request";
        var peer = await StartAndConnectAsync(async context =>
        {
            if (!kept.CanBeCanceled)
            {
                kept = context.RequestAborted;
                return;
            }

            using var registration = context.RequestAborted.Register(aborted.Reach);
            await aborted.WaitAsync();
        });

        await peer.RoundTripAsync(Get());
        await peer.SendAsync(new RecordBuilder().Request(Get()).Abort(1));
        await aborted.WaitAsync();

        Assert.False(kept.IsCancellationRequested);
    }

    private static async Task UseAsync(Func<Task> use)
    {
        try
        {
            await use().Within("the end of what the kept object does");
        }
        catch (Exception exception) when (exception is ObjectDisposedException or InvalidOperationException
            or NullReferenceException)
        {
            // Dead, as it should be. Hosting's own objects end by a null reference here and there.
        }
    }

    private sealed class KeptFeature;
}
