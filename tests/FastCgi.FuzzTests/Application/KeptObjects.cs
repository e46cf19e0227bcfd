using System.IO.Pipelines;
using System.Reflection;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Application;

/// <summary>
/// What an application can keep of a request, used when the request is over and its pooled parts may serve another
/// one. Each object throws or does nothing; what is written must never be seen by anybody.
/// </summary>
/// <param name="context">Of a request that is under way.</param>
/// <param name="hop">Lets others run first.</param>
/// <param name="complain">Is told of what fails in another way than it may.</param>
internal sealed class KeptObjects(HttpContext context, Func<Task> hop, Action<string> complain)
{
    private static readonly Assembly s_server = typeof(FastCgiServerOptions).Assembly;

    private static readonly byte[] s_foreign = [0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE];

    private readonly Stream _requestBody = context.Request.Body;
    private readonly PipeReader _reader = context.Request.BodyReader;
    private readonly Stream _responseBody = context.Response.Body;
    private readonly PipeWriter _writer = context.Response.BodyWriter;
    private readonly IHeaderDictionary _requestHeaders = context.Request.Headers;
    private readonly IHeaderDictionary _responseHeaders = context.Response.Headers;
    private readonly IResponseCookies _cookies = context.Response.Cookies;
    private readonly IHttpRequestLifetimeFeature _lifetime = context.Features.Get<IHttpRequestLifetimeFeature>()!;
    private readonly IHttpConnectionFeature _connection = context.Features.Get<IHttpConnectionFeature>()!;
    private readonly IServerVariablesFeature _variables = context.Features.Get<IServerVariablesFeature>()!;
    private readonly IFastCgiRequestFeature _params = context.Features.Get<IFastCgiRequestFeature>()!;

    /// <param name="first">The first of its uses.</param>
    /// <param name="most">How many of them at the most, one behind the other; after the last comes the first.</param>
    public void UseLater(int first, int most)
    {
        // Behind the response, and again some steps later.
        context.Response.OnCompleted(() =>
        {
            var uses = Uses();
            var numbers = Enumerable.Range(first, Math.Min(most, uses.Length));
            _ = UseAsync([.. numbers.Select(number => uses[number % uses.Length])]);
            return Task.CompletedTask;
        });
    }

    private async Task UseAsync(Action[] uses)
    {
        for (var round = 0; round < 2; round++)
        {
            await hop();
            Array.ForEach(uses, Try);
        }
    }

    private Action[] Uses() =>
    [
        () => _ = context.Request.Path,
        () => _ = _requestHeaders["Host"].ToString(),
        () => _responseHeaders["X-Foreign"] = "1",
        () => _cookies.Append("foreign", "1"),
        () => context.Response.StatusCode = 418,
        () => context.Response.OnStarting(() => Task.CompletedTask),
        () => s_foreign.CopyTo(_writer.GetSpan(8)),
        () => _writer.Advance(8),
        () => Forget(_writer.FlushAsync().AsTask()),
        () => Forget(_responseBody.WriteAsync(s_foreign).AsTask()),
        () => Forget(context.Response.StartAsync()),
        () => Forget(context.Response.CompleteAsync()),
        () => Forget(_requestBody.ReadAsync(new byte[8]).AsTask()),
        () => _reader.TryRead(out _),
        _reader.CancelPendingRead,
        _writer.CancelPendingFlush,
        () => _reader.Complete(),
        () => _writer.Complete(),
        _lifetime.Abort,
        () => _ = _requestHeaders.Count,
        () => _ = _requestHeaders["X-Foreign"].ToString(),
        () => _ = _connection.RemoteIpAddress,
        () => _ = _variables["SERVER_SOFTWARE"],
        () => _params.TryGetParameter("HTTP_X_FOREIGN", out _),
        () => _params.GetParameterName(_params.ParameterCount - 1),
        () => _ = _lifetime.RequestAborted.IsCancellationRequested,
    ];

    private void Try(Action use)
    {
        try
        {
            use();
        }
        catch (Exception exception) when (exception is InvalidOperationException or IOException
            or OperationCanceledException)
        {
            // As it has to be. ObjectDisposedException is an InvalidOperationException.
        }
        catch (NullReferenceException exception) when (exception.TargetSite?.DeclaringType?.Assembly != s_server)
        {
            // ASP.NET Core's own context is no more careful while another thread disposes it.
        }
        catch (Exception exception)
        {
            complain($"an object that was kept fails by {exception}");
        }
    }

    /// <summary>Nobody awaits it.</summary>
    private static void Forget(Task task) => _ = task.Exception;
}
