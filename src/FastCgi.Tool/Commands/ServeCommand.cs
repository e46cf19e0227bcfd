using FastCgi.Tool.Serving;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi serve: a web server in front of any FastCGI application.</summary>
internal sealed class ServeCommand : ExampleCommand
{
    private readonly ToolTerminal _terminal;
    private readonly Argument<string> _endpoint = SharedOptions.Endpoint();
    private readonly Option<string> _listen = SharedOptions.WithDefault(
        "http://localhost:8080", "--listen", "The URL to serve on.", "-l");
    private readonly Option<string?> _root = SharedOptions.Of<string?>(
        "--root", "The directory of scripts and static files, for PHP.", "directory");
    private readonly Option<string?> _scriptRoot = SharedOptions.Of<string?>(
        "--script-root",
        "The directory of --root as the PHP process sees it, for example in its container.",
        "directory");
    private readonly Option<string?> _frontController = SharedOptions.Of<string?>(
        "--front-controller",
        "The script below --root for paths that name no file, for example /index.php.",
        "script");
    private readonly Option<bool> _quiet = SharedOptions.Flag("--quiet", "Do not print requests.", "-q");

    public ServeCommand(ToolTerminal terminal)
        : base(
            "serve",
            "Serves a FastCGI or SCGI application over HTTP, for development.",
            "fcgi serve unix:/run/app/app.sock",
            "fcgi serve unix:/run/php/php-fpm.sock --root . --front-controller /index.php --listen " +
            "http://localhost:5080")
    {
        _terminal = terminal;
        Add(_endpoint);
        AddAll(_listen, _root, _scriptRoot, _frontController, _quiet);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string endpoint = parsed.GetRequiredValue(_endpoint);
        SharedOptions.ReadEndpoint(endpoint);
        WebApplicationBuilder builder = ToolServer.CreateBuilder(_terminal);
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration().UseUrls(
            ReadUrl(parsed.GetRequiredValue(_listen)));
        await using WebApplication application = builder.Build();
        if (!parsed.GetValue(_quiet))
        {
            application.Use(LogAsync);
        }

        Map(application, endpoint, parsed);
        await ToolServer.RunAsync(
            application,
            () =>
            {
                foreach (string address in ToolServer.AddressesOf(application))
                {
                    _terminal.Output.WriteLine($"{address} serves {endpoint}. Ctrl+C ends.");
                }

                _terminal.Output.Flush();
            },
            cancellationToken);
        return ExitCode.Success;
    }

    private void Map(WebApplication application, string endpoint, ParseResult parsed)
    {
        string? root = ReadRoot(parsed);
        application.MapFastCgi("/{**path}", endpoint, options =>
        {
            options.DocumentRoot = root;
            options.ScriptRoot = parsed.GetValue(_scriptRoot);
            options.FrontController = parsed.GetValue(_frontController);
            options.ResponseTimeout = Timeout.InfiniteTimeSpan;
            if (root is null)
            {
                // Without PHP, the whole path belongs to the application.
                options.ConfigureHandler = static handler => handler.ScriptExtensions.Clear();
            }
        });
    }

    /// <summary>The full path of the scripts' directory, or null. Without one, no option may name a script.</summary>
    private string? ReadRoot(ParseResult parsed)
    {
        string? root = parsed.GetValue(_root);
        string? scriptRoot = parsed.GetValue(_scriptRoot);
        string? script = parsed.GetValue(_frontController);
        if (root is null)
        {
            return script is null && scriptRoot is null
                ? null
                : throw ToolException.Usage(
                    (script is null
                        ? $"{_scriptRoot.Name} '{scriptRoot}'"
                        : $"{_frontController.Name} '{script}'") +
                    " needs --root with the directory of the scripts on this machine. Give both, or neither.");
        }

        if (!Directory.Exists(root))
        {
            throw ToolException.Usage($"--root '{root}' is no directory. Create it, or correct the path.");
        }

        if (scriptRoot is not null and not ['/', ..] && !Path.IsPathRooted(scriptRoot))
        {
            throw ToolException.Usage(
                $"--script-root '{scriptRoot}' is no full path. Write it as the PHP process sees it, like " +
                "/var/www/html.");
        }

        root = Path.GetFullPath(root);
        if (script is not null && (script is not ['/', ..] || !File.Exists(root.TrimEnd('/') + script)))
        {
            throw ToolException.Usage(
                $"--front-controller '{script}' is no file below {root}. Write it from there on, like /index.php.");
        }

        return root;
    }

    private static string ReadUrl(string url) =>
        url.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
            || url.StartsWith("https://", StringComparison.OrdinalIgnoreCase)
            ? url
            : throw ToolException.Usage(
                $"--listen '{url}' is no URL of a web server. Write it like http://localhost:8080.");

    private async Task LogAsync(HttpContext context, RequestDelegate next)
    {
        long start = TimeProvider.System.GetTimestamp();
        await next(context);
        string milliseconds = TimeProvider.System.GetElapsedTime(start).TotalMilliseconds.ToString(
            "0.0", CultureInfo.InvariantCulture);
        HttpRequest request = context.Request;
        _terminal.Error.WriteLine(
            $"{context.Response.StatusCode} {request.Method} {request.Path}{request.QueryString} {milliseconds} ms");
    }
}
