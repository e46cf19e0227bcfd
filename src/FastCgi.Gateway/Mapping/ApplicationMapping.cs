using System.Diagnostics.Metrics;
using System.Text;
using FastCgi.Gateway.Documents;
using FastCgi.Gateway.Forwarding;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Gateway.Mapping;

/// <summary>Builds the application of a route from its options.</summary>
internal static class ApplicationMapping
{
    private const string LogCategory = "FastCgi.Gateway";

    public static MappedApplication Create(
        IEndpointRouteBuilder endpoints, string endpoint, FastCgiGatewayOptions options)
    {
        IServiceProvider services = endpoints.ServiceProvider;
        ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(LogCategory);
        DocumentTree? tree = null;
        StaticDocuments? files = null;
        if (options.DocumentRoot is { } root)
        {
            tree = TreeOf(root, options);
            files = options.ServeStaticFiles ? new StaticDocuments(endpoints, root, options.ContentTypes) : null;
        }

        FastCgiHandlerOptions client = ClientFor(endpoint, options, services, logger);
        var invoker = new HttpMessageInvoker(new FastCgiHandler(client));
        services.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(invoker.Dispose);
        var forwarder = new RequestForwarder(
            invoker,
            new ForwardingRules
            {
                Endpoint = endpoint,
                TransformParameters = options.TransformParameters,
                TraceHeaders = client.ActivityHeadersPropagator?.Fields ?? [],
                ResponseTimeout = options.ResponseTimeout,
                MaxRequests = (int)Math.Min((long)options.MaxConnections + options.MaxQueuedRequests, int.MaxValue),
                InternalFiles = options.InternalFiles.Count == 0
                    ? null
                    : new InternalFiles(endpoints, options.InternalFiles, options.ContentTypes),
                Clock = ClockOf(services),
            },
            logger);
        return new MappedApplication(forwarder, tree, files);
    }

    private static TimeProvider ClockOf(IServiceProvider services) =>
        services.GetService<TimeProvider>() ?? TimeProvider.System;

    private static DocumentTree TreeOf(string root, FastCgiGatewayOptions options)
    {
        if (!Path.IsPathRooted(root))
        {
            throw new ArgumentException($"The DocumentRoot '{root}' is not absolute. Write it like /srv/blog.");
        }

        if (!Directory.Exists(root))
        {
            throw new DirectoryNotFoundException(
                $"The DocumentRoot '{root}' does not exist, or this process may not enter it. Correct the path.");
        }

        if (options.FrontController is { } script
            && (script is not ['/', ..] || !File.Exists(root.TrimEnd('/') + script)))
        {
            throw new ArgumentException(
                $"The FrontController '{script}' is no file below {root}. Write it from there on, like /index.php.");
        }

        return new DocumentTree(root, [.. options.ScriptExtensions], [.. options.Indexes], options.FrontController);
    }

    private static FastCgiHandlerOptions ClientFor(
        string endpoint, FastCgiGatewayOptions options, IServiceProvider services, ILogger logger)
    {
        var client = new FastCgiHandlerOptions
        {
            Endpoint = endpoint,
            DocumentRoot = options.DocumentRoot is null ? null : options.ScriptRoot ?? options.DocumentRoot,
            MaxConnections = options.MaxConnections,
            ResponseIdleTimeout = options.ResponseTimeout,
            TimeProvider = ClockOf(services),
            MeterFactory = services.GetService<IMeterFactory>(),
            // The client requests the target itself, so that the routes and their authorization check it.
            FollowLocalRedirects = false,
            StandardError = (request, text) => LogStandardError(logger, endpoint, request, text.Span),
            // As through a web server, the client's trace headers are passed on unchanged.
            ActivityHeadersPropagator = null,
        };
        client.ScriptExtensions.Clear();
        if (options.DocumentRoot is not null)
        {
            options.ScriptExtensions.ToList().ForEach(client.ScriptExtensions.Add);
        }

        foreach ((string name, string value) in options.Parameters)
        {
            client.Parameters[name] = value;
        }

        options.ConfigureHandler?.Invoke(client);
        if (options.DocumentRoot is null && client.DocumentRoot is not null)
        {
            // The client would find scripts in the target, which no route has checked.
            throw new ArgumentException(
                "ConfigureHandler sets a DocumentRoot, and the gateway has none. Set DocumentRoot of " +
                "FastCgiGatewayOptions, and ScriptRoot if the application sees the directory elsewhere.");
        }

        return client;
    }

    private static void LogStandardError(
        ILogger logger, string endpoint, HttpRequestMessage request, ReadOnlySpan<byte> text)
    {
        if (logger.IsEnabled(LogLevel.Warning))
        {
            request.Options.TryGetValue(FastCgiRequestOptions.RequestTarget, out string? target);
            ForwarderLog.StandardError(
                logger, endpoint, ForwardedTarget.ForLog(target ?? ""), Encoding.UTF8.GetString(text).TrimEnd());
        }
    }
}
