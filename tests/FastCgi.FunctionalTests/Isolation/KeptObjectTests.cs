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
        ["context"] = Keep(context => context, context =>
        {
            context.Response.Headers[Mark] = "kept";
            return context.Response.WriteAsync("kept");
        }),
        ["context, aborted"] = Keep(context => context, context => context.Abort()),
        ["context's items"] = Keep(context => context, context => context.Items[Mark] = "kept"),
        ["request"] = Keep(context => context.Request, request =>
        {
            request.Path = "/kept";
            request.Headers[Mark] = "kept";
            request.Method = "KEPT";
        }),
        ["response"] = Keep(context => context.Response, response =>
        {
            response.StatusCode = 299;
            return response.WriteAsync("kept");
        }),
        ["response, started"] = Keep(context => context.Response, response => response.StartAsync()),
        ["response, completed"] = Keep(context => context.Response, response => response.CompleteAsync()),
        ["response headers"] = Keep(context => context.Response.Headers, headers =>
        {
            headers[Mark] = "kept";
            headers.ContentLength = 3;
        }),
        ["response cookies"] = Keep(context => context.Response.Cookies, cookies => cookies.Append("kept", "kept")),
        ["request reader"] = Keep(context => context.Request.BodyReader, async reader => await reader.ReadAsync()),
        ["request reader, completed"] = Keep(
            context => context.Request.BodyReader, reader => reader.Complete(new InvalidOperationException("kept"))),
        ["request headers"] = Keep(context => context.Request.Headers, headers => headers[Mark] = "kept"),
        ["response writer"] = Keep(context => context.Response.BodyWriter, async writer =>
        {
            Encoding.UTF8.GetBytes("kept", writer);
            await writer.FlushAsync();
        }),
        ["response writer, written at once"] =
            Keep(context => context.Response.BodyWriter, async writer => await writer.WriteAsync("kept"u8.ToArray())),
        ["response writer, completed"] = Keep(
            context => context.Response.BodyWriter, writer => writer.Complete(new InvalidOperationException("kept"))),
        ["response stream"] =
            Keep(context => context.Response.Body, body => body.WriteAsync("kept"u8.ToArray()).AsTask()),
        ["features"] = Keep(context => context.Features, features =>
        {
            features.Set(new KeptFeature());
            features.GetRequiredFeature<IHttpResponseFeature>().StatusCode = 299;
        }),
        ["response feature"] = Keep(context => context.Features.GetRequiredFeature<IHttpResponseFeature>(), feature =>
        {
            feature.Headers[Mark] = "kept";
            feature.StatusCode = 299;
        }),
        ["response feature, callback"] = Keep(
            context => context.Features.GetRequiredFeature<IHttpResponseFeature>(),
            feature => feature.OnStarting(_ => throw new InvalidOperationException("kept"), "")),
        ["response body feature"] = Keep(
            context => context.Features.GetRequiredFeature<IHttpResponseBodyFeature>(),
            feature => feature.StartAsync()),
        ["response body feature, file"] = Keep(
            context => context.Features.GetRequiredFeature<IHttpResponseBodyFeature>(),
            feature => feature.SendFileAsync(typeof(KeptObjectTests).Assembly.Location, 0, 100)),
        ["request feature"] = Keep(
            context => context.Features.GetRequiredFeature<IHttpRequestFeature>(), feature => feature.Path = "/kept"),
        ["lifetime feature"] = Keep(
            context => context.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>(), feature => feature.Abort()),
        ["user"] = Keep(context => context.Features, features => features.Set<IHttpAuthenticationFeature>(
            new HttpAuthenticationFeature { User = new(new System.Security.Claims.ClaimsIdentity("kept")) })),
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
        var peer = await StartAndConnectAsync(async context =>
        {
            if (!kept.CanBeCanceled)
            {
                kept = context.RequestAborted;
                return;
            }

            await WaitForAbortAsync(context);
        });

        await peer.RoundTripAsync(Get());
        await peer.SendAsync(new RecordBuilder().Request(Get()).Abort(1));
        await Aborted.WaitAsync();

        Assert.False(kept.IsCancellationRequested);
    }

    private static Func<HttpContext, Func<Task>> Keep<T>(Func<HttpContext, T> take, Func<T, Task> use) => context =>
    {
        var kept = take(context);
        return () => use(kept);
    };

    private static Func<HttpContext, Func<Task>> Keep<T>(Func<HttpContext, T> take, Action<T> use) => Keep(take, kept =>
    {
        use(kept);
        return Task.CompletedTask;
    });

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
