using System.Collections.Concurrent;
using System.Security.Claims;
using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Isolation;

/// <summary>Looks for traces of other requests, leaves as many of its own as it can, and ends as the request says.</summary>
public sealed class IsolationApplication
{
    private static readonly AsyncLocal<string?> s_local = new();

    private int _entered;

    /// <summary>What was seen of one request in another.</summary>
    public ConcurrentQueue<string> Crossed { get; } = new();

    public int Entered => Volatile.Read(ref _entered);

    public async Task ServeAsync(HttpContext context)
    {
        if (!context.Request.Headers.ContainsKey("X-Request"))
        {
            return;
        }

        Interlocked.Increment(ref _entered);
        var request = IsolationRequest.From(context);
        LookForOthers(context, request);
        LeaveTraces(context, request);
        if (request.Waits)
        {
            await Task.Yield();
        }

        var body = new byte[request.Fate == Fate.HalfRead ? request.BodyLength / 2 : request.BodyLength];
        await context.Request.Body.ReadExactlyAsync(body);
        Check(body.AsSpan().SequenceEqual(request.Bytes(body.Length)), request, "body");
        await EndAsync(context, request);
        Check(s_local.Value == request.Token, request, "AsyncLocal after awaits");
        Check(CultureInfo.CurrentCulture.Name == request.Culture, request, "culture after awaits");
    }

    private static async Task EndAsync(HttpContext context, IsolationRequest request)
    {
        var bytes = request.Bytes(request.ResponseLength);
        switch (request.Fate)
        {
            case Fate.ThrowsBefore:
                // What was written and not flushed must not be left for anybody.
                bytes.AsSpan(0, 1).CopyTo(context.Response.BodyWriter.GetSpan(bytes.Length));
                throw new InvalidOperationException("before the start");
            case Fate.AbortsBefore:
                context.Abort();
                break;
            case Fate.ThrowsAfter:
                await context.Response.Body.WriteAsync(bytes);
                bytes.CopyTo(context.Response.BodyWriter.GetSpan(bytes.Length));
                throw new InvalidOperationException("after the start");
            case Fate.AbortsAfter:
                await context.Response.Body.WriteAsync(bytes);
                context.Abort();
                break;
            case Fate.TooShort:
                context.Response.ContentLength = bytes.Length + 1;
                await context.Response.Body.WriteAsync(bytes);
                break;
            default:
                await context.Response.Body.WriteAsync(bytes);
                break;
        }
    }

    private void LookForOthers(HttpContext context, IsolationRequest request)
    {
        var headers = context.Request.Headers;
        Check(s_local.Value is null, request, "AsyncLocal");
        Check(CultureInfo.CurrentCulture.Name is not ("sv-SE" or "ja-JP"), request, "culture");
        Check(CultureInfo.CurrentUICulture.Name is not ("sv-SE" or "ja-JP"), request, "UI culture");
        Check(context.Items.Count == 0, request, "items");
        Check(context.Features.Get<IConnectionItemsFeature>()!.Items.Count == 0, request, "connection items");
        Check(context.Features.Get<IsolationRequest>() is null, request, "feature");
        Check(context.User.Identity?.Name is null, request, "user");
        Check(context.Response is { StatusCode: 200, HasStarted: false, Headers.Count: 0 }, request, "response");
        Check(context.Request.Path == $"/{request.Token}", request, "path");
        Check(context.Request.Query is { Count: 1 } query && query["own"] == request.Token, request, "query");
        Check(context.Request.Cookies is { Count: 1 } cookies && cookies["own"] == request.Token, request, "cookie");
        Check(context.GetServerVariable("OWN_VARIABLE") == request.Token, request, "server variable");
        Check(context.GetServerVariable("SET_BY_APPLICATION") is null, request, "server variable that was set");
        Check(context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize == 30_000_000, request, "limit");
        Check(!context.Features.Get<IHttpBodyControlFeature>()!.AllowSynchronousIO, request, "synchronous IO");

        // Host, Cookie, the request itself, and the length of a body if there is one.
        var expected = request.HeaderCount + 3 + (request.BodyLength > 0 ? 1 : 0);
        Check(headers.Count == expected, request, $"{headers.Count} headers instead of {expected}");
        Check(headers.All(header => request.IsOwn(header.Value.ToString())), request, "headers");
    }

    private void LeaveTraces(HttpContext context, IsolationRequest request)
    {
        s_local.Value = request.Token;
        CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = CultureInfo.GetCultureInfo(request.Culture);
        context.Items["own"] = request.Token;
        context.Features.Get<IConnectionItemsFeature>()!.Items["own"] = request.Token;
        context.Features.Set(request);
        context.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, request.Token)], "test"));
        context.Features.Get<IServerVariablesFeature>()!["SET_BY_APPLICATION"] = request.Token;
        context.Request.Headers["X-Added"] = request.Token;
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
        {
            limit.MaxRequestBodySize = 1_000_000 + request.Number;
        }

        context.Features.Get<IHttpBodyControlFeature>()!.AllowSynchronousIO = true;
        context.Response.StatusCode = request.Status;
        context.Response.Headers[$"X-Own-{request.Number}"] = request.Token;
        context.Response.Cookies.Append("own", request.Token);
        context.Response.OnStarting(() => context.Response.Headers["X-Starting"] = request.Token);
        context.Response.OnCompleted(() =>
        {
            Check(context.Features.Get<IsolationRequest>() == request, request, "feature at the end");
        });
    }

    private void Check(bool isOwn, IsolationRequest request, string what)
    {
        if (!isOwn)
        {
            Crossed.Enqueue($"{request.Token} {request.Fate}: {what}");
        }
    }
}
