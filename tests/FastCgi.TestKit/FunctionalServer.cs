using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.TestKit;

/// <summary>
/// An application behind the whole server: on a unix socket in a directory of its own or on a TCP port that the system
/// chose, unless the test names its endpoints. Its end asserts that no error was logged that the test had not
/// announced.
/// </summary>
public sealed class FunctionalServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly DirectoryInfo _directory;

    private FunctionalServer(WebApplication application, DirectoryInfo directory, LogRecorder logs)
    {
        _application = application;
        _directory = directory;
        Logs = logs;
    }

    public LogRecorder Logs { get; }

    public IServiceProvider Services => _application.Services;

    /// <summary>As the server publishes it.</summary>
    public string Address =>
        Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();

    /// <summary>Starts a server. The builder has no services but those of the server, and no configuration.</summary>
    public static async Task<FunctionalServer> StartAsync(
        ServerTransport transport,
        RequestDelegate application,
        Action<FastCgiServerOptions>? options = null,
        TimeProvider? clock = null,
        Action<WebApplicationBuilder>? configure = null)
    {
        var directory = Directory.CreateTempSubdirectory("fcgi-");
        var logs = new LogRecorder();
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.SetMinimumLevel(LogLevel.Trace).AddProvider(logs);
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = Deadline.Default);
        if (clock is not null)
        {
            builder.Services.AddSingleton(clock);
        }

        builder.Services.AddSingleton<IConnectionListenerFactory, OtherTransport>();
        builder.WebHost.UseFastCgi(server =>
        {
            server.Transport = transport is ServerTransport.EpollOnUnix or ServerTransport.EpollOnTcp
                ? FastCgiTransport.Epoll
                : FastCgiTransport.Sockets;
            options?.Invoke(server);
            if (server.GetEndpoints().Count > 0)
            {
                return;
            }

            if (transport == ServerTransport.OtherOnUnix)
            {
                server.Listen(new OtherEndPoint(Path.Combine(directory.FullName, "app.sock")));
            }
            else if (transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix)
            {
                server.ListenUnixSocket(Path.Combine(directory.FullName, "app.sock"));
            }
            else
            {
                server.Listen(IPAddress.Loopback, 0);
            }
        });
        configure?.Invoke(builder);

        WebApplication? built = null;
        try
        {
            built = builder.Build();
            built.Run(application);
            await built.StartAsync().Within("the start of the server");
            return new FunctionalServer(built, directory, logs);
        }
        catch
        {
            await (built?.DisposeAsync() ?? ValueTask.CompletedTask);
            directory.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Where peers connect to.</summary>
    public EndPoint EndPoint => ParseEndPoint(Address.Replace("[::]", "127.0.0.1", StringComparison.Ordinal));

    public Task<ScriptedPeer> ConnectAsync() => ScriptedPeer.ConnectAsync(EndPoint);

    /// <summary>Stops accepting, then drains, and aborts what is left when the token is cancelled.</summary>
    public Task StopAsync(CancellationToken abort = default) => _application.StopAsync(abort);

    public async ValueTask DisposeAsync()
    {
        await _application.StopAsync(new CancellationToken(canceled: true)).Within("the stop of the server");
        await _application.DisposeAsync().AsTask().Within("the disposal of the server");
        _directory.Delete(recursive: true);
        Logs.AssertNoUnexpectedErrors();
    }

    private static EndPoint ParseEndPoint(string address)
    {
        const string Unix = "unix:";
        var place = address[(address.IndexOf("://", StringComparison.Ordinal) + 3)..];
        return place.StartsWith(Unix, StringComparison.Ordinal)
            ? new UnixDomainSocketEndPoint(place[Unix.Length..])
            : IPEndPoint.Parse(place);
    }
}
