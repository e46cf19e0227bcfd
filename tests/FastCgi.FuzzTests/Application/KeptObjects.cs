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
    /// <summary>There are so many ways to use what was kept.</summary>
    public const int Uses = 26;

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
    private bool _isOver;

    /// <param name="first">The first of its uses.</param>
    /// <param name="count">How many of them, one behind the other; after the last comes the first.</param>
    public void UseLater(int first = 0, int count = Uses)
    {
        // Behind the response, and again some steps later.
        context.Response.OnCompleted(() =>
        {
            _isOver = true;
            _ = UseAsync(first, count);
            return Task.CompletedTask;
        });
    }

    private async Task UseAsync(int first, int count)
    {
        for (var round = 0; round < 2; round++)
        {
            await hop();
            for (var use = first; _isOver && use < first + count; use++)
            {
                Use(use % Uses);
            }
        }
    }

    private void Use(int number)
    {
        switch (number)
        {
            case 0:
                Try(() => _ = context.Request.Path);
                break;
            case 1:
                Try(() => _ = _requestHeaders["Host"].ToString());
                break;
            case 2:
                Try(() => _responseHeaders["X-Foreign"] = "1");
                break;
            case 3:
                Try(() => _cookies.Append("foreign", "1"));
                break;
            case 4:
                Try(() => context.Response.StatusCode = 418);
                break;
            case 5:
                Try(() => context.Response.OnStarting(() => Task.CompletedTask));
                break;
            case 6:
                Try(() => s_foreign.CopyTo(_writer.GetSpan(8)));
                break;
            case 7:
                Try(() => _writer.Advance(8));
                break;
            case 8:
                Forget(() => _writer.FlushAsync().AsTask());
                break;
            case 9:
                Forget(() => _responseBody.WriteAsync(s_foreign).AsTask());
                break;
            case 10:
                Forget(() => context.Response.StartAsync());
                break;
            case 11:
                Forget(() => context.Response.CompleteAsync());
                break;
            case 12:
                Forget(() => _requestBody.ReadAsync(new byte[8]).AsTask());
                break;
            case 13:
                Try(() => _reader.TryRead(out _));
                break;
            case 14:
                Try(() => _reader.CancelPendingRead());
                break;
            case 15:
                Try(() => _writer.CancelPendingFlush());
                break;
            case 16:
                Try(() => _reader.Complete());
                break;
            case 17:
                Try(() => _writer.Complete());
                break;
            case 18:
                Try(() => _lifetime.Abort());
                break;
            case 19:
                Try(() => _ = _requestHeaders.Count);
                break;
            case 20:
                Try(() => _ = _requestHeaders["X-Foreign"].ToString());
                break;
            case 21:
                Try(() => _ = _connection.RemoteIpAddress);
                break;
            case 22:
                Try(() => _ = _variables["SERVER_SOFTWARE"]);
                break;
            case 23:
                Try(() => _ = _params.TryGetParameter("HTTP_X_FOREIGN", out _));
                break;
            case 24:
                Try(() => _ = _params.GetParameterName(_params.ParameterCount - 1));
                break;
            default:
                Try(() => _ = _lifetime.RequestAborted.IsCancellationRequested);
                break;
        }
    }

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

    private void Forget(Func<Task> use) => Try(() =>
    {
        var task = use();
        if (task.IsFaulted)
        {
            _ = task.Exception;
        }
    });
}
