using FastCgi.Testing.Hosting;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Hosting;

namespace FastCgi.Testing;

/// <summary>
/// A <see cref="WebApplicationFactory{TEntryPoint}"/> that runs the application on the FastCGI server, over its own
/// socket, instead of on TestServer. The application does not change, whichever server its Program.cs chooses.
/// </summary>
/// <typeparam name="TEntryPoint">A type of the application's assembly, usually Program.</typeparam>
/// <remarks>
/// <para>
/// Everything in WebApplicationFactory works: clients of <c>CreateClient</c> and of <c>Server</c> also reach the
/// application over the socket. <see cref="FastCgiApplicationFactoryExtensions"/> adds clients whose requests carry
/// chosen parameters, and connections on which a test sends records itself. They also work on the result of
/// <c>WithWebHostBuilder</c>.
/// </para>
/// <para>
/// The server listens on a private endpoint only. The application's endpoints and addresses are not bound. Its other
/// server options apply, including ConfigureEndpointDefaults. Each factory has its own server and endpoint, so tests
/// may run in parallel.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// public class PageTests(FastCgiApplicationFactory&lt;Program&gt; factory)
///     : IClassFixture&lt;FastCgiApplicationFactory&lt;Program&gt;&gt;
/// {
///     [Fact]
///     public async Task A_page_names_its_client()
///     {
///         using var client = factory.CreateFastCgiClient(
///             new FastCgiTestClientOptions { RemoteAddress = IPAddress.Parse("203.0.113.7") });
///         Assert.Equal("203.0.113.7", await client.GetStringAsync("/address"));
///     }
/// }
/// </code>
/// </example>
public class FastCgiApplicationFactory<TEntryPoint> : WebApplicationFactory<TEntryPoint>
    where TEntryPoint : class
{
    /// <summary>
    /// The endpoint of the server. Default <see cref="FastCgiTestEndpoint.Default"/>. Takes effect when the application
    /// starts, at the first client.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not an endpoint.</exception>
    public FastCgiTestEndpoint Endpoint
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Not an endpoint.");
    }

    /// <summary>Builds and starts the host. An override must call this method.</summary>
    protected override IHost CreateHost(IHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return base.CreateHost(builder.ConfigureServices(FastCgiTestServer.AddServer));
    }

    /// <summary>Creates the server. An override must call this method.</summary>
    protected override TestServer CreateServer(IServiceProvider serviceProvider) =>
        FastCgiTestServer.Create(serviceProvider, Endpoint);

    /// <summary>Throws, because an application with a static CreateWebHostBuilder method has no generic host.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Obsolete("An application with CreateWebHostBuilder cannot be started.")]
    protected override TestServer CreateServer(IWebHostBuilder builder) => throw new NotSupportedException(
        $"{typeof(TEntryPoint).Assembly.GetName().Name} builds its host by CreateWebHostBuilder, which this factory " +
        "cannot start. Move the application to WebApplication.CreateBuilder or to CreateHostBuilder.");
}
