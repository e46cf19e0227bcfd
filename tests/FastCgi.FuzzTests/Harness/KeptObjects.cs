using System.IO.Pipelines;
using System.Reflection;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FuzzTests.Harness;

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
    private bool _isOver;

    public void UseLater()
    {
        // Behind the response, and again some steps later.
        context.Response.OnCompleted(() =>
        {
            _isOver = true;
            _ = UseAsync();
            return Task.CompletedTask;
        });
    }

    private async Task UseAsync()
    {
        for (var round = 0; round < 2; round++)
        {
            await hop();
            if (_isOver)
            {
                UseAll();
            }
        }
    }

    private void UseAll()
    {
        Try(() => _ = context.Request.Path);
        Try(() => _ = _requestHeaders["Host"].ToString());
        Try(() => _responseHeaders["X-Foreign"] = "1");
        Try(() => _cookies.Append("foreign", "1"));
        Try(() => context.Response.StatusCode = 418);
        Try(() => context.Response.OnStarting(() => Task.CompletedTask));
        Try(() => s_foreign.CopyTo(_writer.GetSpan(8)));
        Try(() => _writer.Advance(8));
        Forget(() => _writer.FlushAsync().AsTask());
        Forget(() => _responseBody.WriteAsync(s_foreign).AsTask());
        Forget(() => context.Response.StartAsync());
        Forget(() => context.Response.CompleteAsync());
        Forget(() => _requestBody.ReadAsync(new byte[8]).AsTask());
        Try(() => _reader.TryRead(out _));
        Try(() => _reader.CancelPendingRead());
        Try(() => _writer.CancelPendingFlush());
        Try(() => _reader.Complete());
        Try(() => _writer.Complete());
        Try(() => _lifetime.Abort());
        Try(() => _ = _lifetime.RequestAborted.IsCancellationRequested);
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
