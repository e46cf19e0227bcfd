using System.Buffers;
using FastCgi.AspNetCore.Hosting;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Hosting;

namespace FastCgi.AspNetCore.PlainCgi;

/// <summary>Answers one CGI request through a connection in memory to the server, and ends the program.</summary>
internal sealed class PlainCgiServer : IServer, IAsyncDisposable
{
    private const int FailedResponse = 1;

    private readonly FastCgiServer _server;
    private readonly IHostApplicationLifetime _lifetime;

    private const int RequestId = 1;
    private const int BufferSize = 32 * 1024;

    public PlainCgiServer(
        IOptions<FastCgiServerOptions> options,
        ILoggerFactory loggers,
        IServiceProvider services,
        IHostApplicationLifetime lifetime)
    {
        _lifetime = lifetime;
        // Reloaded, so that settings from the client's headers disappear.
        (services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        FastCgiServerOptions settings = options.Value;

        // A process that serves one request has no figures and no address.
        (settings.Status.Path, settings.Status.PingPath, settings.Status.Endpoint) = (null, null, null);
        settings.RemoveEndpoints();
        _server = new FastCgiServer(options, loggers, services) { IsExclusive = true };
        foreach ((Type type, object feature) in _server.Features)
        {
            Features[type] = feature;
        }

        // There is no address to publish, and none to take from the host.
        Features.Set<IServerAddressesFeature>(new ServerAddressesFeature());
    }

    public IFeatureCollection Features { get; } = new FeatureCollection();

    /// <summary>
    /// Ends the program, after <see cref="CgiStreams.TakeResponse"/>, if the client may have chosen its arguments.
    /// </summary>
    [UnsupportedOSPlatform("windows")]
    public static void RefuseArgumentsOfClient(LaunchContext launch)
    {
        if (!CgiEnvironment.IsPassedOn(launch.Variable("QUERY_STRING"), Environment.GetCommandLineArgs().Skip(1)))
        {
            return;
        }

        Console.Error.WriteLine(
            "The web server passes the query string as arguments, so a client could change the settings of the " +
            "application. The answer was 400. Start the application by a script without \"$@\".");
        CgiStreams.OpenResponse().Write("Status: 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"u8
            + "The query string must not be the command line of the program.\n"u8);
        Environment.Exit(FailedResponse);
    }

    public async Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        await _server.StartAsync(application, cancellationToken).ConfigureAwait(false);
        _lifetime.ApplicationStarted.Register(() => _ = Task.Run(AnswerAsync, CancellationToken.None));
    }

    public Task StopAsync(CancellationToken cancellationToken) => _server.StopAsync(cancellationToken);

    public void Dispose() => _server.Dispose();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task AnswerAsync()
    {
        try
        {
            if (!OperatingSystem.IsWindows() && !await ConverseAsync().ConfigureAwait(false))
            {
                Environment.ExitCode = FailedResponse;
            }
        }
        catch (Exception exception) when (exception is IOException or InvalidOperationException)
        {
            // The web server closed a descriptor because the client is gone, or the host is already stopping.
            Environment.ExitCode = FailedResponse;
        }
        finally
        {
            _lifetime.StopApplication();
        }
    }

    /// <summary>False if the response broke off.</summary>
    [UnsupportedOSPlatform("windows")]
    private async Task<bool> ConverseAsync()
    {
        await using Stream server = _server.Connect();
        await using Stream response = CgiStreams.OpenResponse();
        await using Stream errors = Console.OpenStandardError();
        CgiEnvironment environment = CgiEnvironment.Current;
        await server.WriteAsync(Head(environment)).ConfigureAwait(false);
        using var stop = new CancellationTokenSource();
        Task sending = SendBodyAsync(server, CgiStreams.OpenBody(), environment.BodyLength(), stop.Token);
        try
        {
            return await ReceiveAsync(server, response, errors).ConfigureAwait(false);
        }
        finally
        {
            // A response may end before its request. A pending read of a descriptor ends when the web server closes
            // that.
            await stop.CancelAsync().ConfigureAwait(false);
            _ = sending;
        }
    }

    private static ReadOnlyMemory<byte> Head(CgiEnvironment environment)
    {
        var pairs = new ArrayBufferWriter<byte>();
        foreach ((byte[] name, byte[] value) in environment.Parameters)
        {
            NameValuePairWriter.Write(pairs, name, value);
        }

        var head = new ArrayBufferWriter<byte>();
        head.Advance(RecordWriter.WriteBeginRequest(
            head.GetSpan(RecordWriter.BeginRequestRecordSize),
            RequestId,
            new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.None)));
        RecordWriter.WriteContent(head, RecordType.Params, RequestId, pairs.WrittenSpan);
        head.Advance(RecordWriter.WriteEndOfStream(
            head.GetSpan(RecordWriter.EndOfStreamRecordSize), RecordType.Params, RequestId));
        return head.WrittenMemory;
    }

    /// <summary>Sends only the length: the web server may leave the descriptor open (RFC 3875, section 4.2).</summary>
    private static async Task SendBodyAsync(
        Stream server, FileStream body, long? length, CancellationToken cancellationToken)
    {
        try
        {
            byte[] buffer = new byte[FastCgiConstants.HeaderSize + BufferSize];
            long left = length ?? long.MaxValue;
            while (left > 0)
            {
                int wanted = (int)Math.Min(left, BufferSize);
                int count = await body.ReadAsync(
                    buffer.AsMemory(FastCgiConstants.HeaderSize, wanted), cancellationToken).ConfigureAwait(false);
                if (count == 0)
                {
                    break;
                }

                RecordWriter.WriteHeader(buffer, RecordType.Stdin, RequestId, count);
                await server.WriteAsync(
                    buffer.AsMemory(0, FastCgiConstants.HeaderSize + count), cancellationToken).ConfigureAwait(false);
                left -= count;
            }

            RecordWriter.WriteEndOfStream(buffer, RecordType.Stdin, RequestId);
            await server.WriteAsync(
                buffer.AsMemory(0, FastCgiConstants.HeaderSize), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (
            exception is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // The server has answered, or the connection has ended.
        }
    }

    private static async Task<bool> ReceiveAsync(Stream server, Stream response, Stream errors)
    {
        var reader = new RecordReader();
        byte[] buffer = new byte[BufferSize];
        while (await server.ReadAsync(buffer).ConfigureAwait(false) is > 0 and var count)
        {
            ReadOnlySpan<byte> received = buffer.AsSpan(0, count);
            while (reader.TryRead(ref received, out RecordPart part))
            {
                switch (part.Header.Type)
                {
                    case RecordType.Stdout:
                        response.Write(part.Content);
                        break;
                    case RecordType.Stderr:
                        errors.Write(part.Content);
                        break;
                    case RecordType.EndRequest when part.IsLast:
                        return true;
                }
            }

            if (reader.Violation != ProtocolViolation.None)
            {
                // If a response failed, the server ends it with bytes that are no record.
                return false;
            }
        }

        return false;
    }
}
