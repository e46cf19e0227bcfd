using FastCgi.Tool.Parameters;
using FastCgi.Tool.Serving;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi params: replaces the application, and shows the params of the web server.</summary>
internal sealed class ParamsCommand : ExampleCommand
{
    private const UnixFileMode EverybodysSocket = (UnixFileMode)0b110_110_110;

    private readonly ToolTerminal _terminal;
    private readonly Lock _output = new();
    private readonly Argument<string> _endpoint = new("endpoint")
    {
        Description =
            "Where to listen, as the web server's configuration names it: unix:/run/app/app.sock, 127.0.0.1:9000.",
    };
    private readonly Option<bool> _once = SharedOptions.Flag(
        "--once", "End after one request, with status 1 if something is wrong.");
    private readonly Option<bool> _json = SharedOptions.Json();

    public ParamsCommand(ToolTerminal terminal)
        : base(
            "params",
            "Listens in place of the application, and shows each param that the web server sends, with its meaning. " +
            "Any user of the machine may connect while it runs.",
            "fcgi params unix:/run/app/app.sock",
            "fcgi params 127.0.0.1:9000 --once --json")
    {
        _terminal = terminal;
        Add(_endpoint);
        AddAll(_once, _json);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string text = parsed.GetRequiredValue(_endpoint);
        SharedOptions.ReadEndpoint(text);
        using var done = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        bool isFine = true;
        bool isAsked = false;
        WebApplicationBuilder builder = ToolServer.CreateBuilder(_terminal);
        builder.WebHost.UseFastCgi(static options => options.ConfigureEndpointDefaults(static listen =>
        {
            // The web server runs as another user than the person at the terminal.
            listen.UnixMode = EverybodysSocket;
            listen.AllowAnyClient = listen.SocketPath is not null;
        })).UseUrls(text);
        await using WebApplication application = builder.Build();
        application.Run(async context =>
        {
            CapturedRequest request = await CapturedRequest.ReadAsync(context);
            lock (_output)
            {
                isAsked = true;
                isFine &= !ParameterAdvice.For(request).Any();
                Print(request, parsed.GetValue(_json));
            }

            await AnswerAsync(context, request);
            if (parsed.GetValue(_once))
            {
                context.Response.OnCompleted(done.CancelAsync);
            }
        });

        await ToolServer.RunAsync(
            application,
            () => _terminal.Error.WriteLine($"fcgi: listening on {text} in place of the application. Ctrl+C ends."),
            done.Token);
        return !parsed.GetValue(_once) ? ExitCode.Success
            : !isAsked ? ExitCode.Interrupted
            : isFine ? ExitCode.Success
            : ExitCode.Findings;
    }

    private void Print(CapturedRequest request, bool isJson)
    {
        if (isJson)
        {
            _terminal.WriteJson(CapturedRequestWriter.ToJson(request));
        }
        else
        {
            CapturedRequestWriter.Write(_terminal, request);
        }
    }

    /// <summary>Shows the same in the browser.</summary>
    private static Task AnswerAsync(HttpContext context, CapturedRequest request)
    {
        context.Response.Headers.CacheControl = "no-store";
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(CapturedRequestWriter.ToText(request), context.RequestAborted);
    }
}
