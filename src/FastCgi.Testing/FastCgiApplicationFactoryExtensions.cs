using FastCgi.Testing.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;

namespace FastCgi.Testing;

/// <summary>
/// Clients of an application in a <see cref="FastCgiApplicationFactory{TEntryPoint}"/>, or in the result of its
/// <c>WithWebHostBuilder</c>.
/// </summary>
public static class FastCgiApplicationFactoryExtensions
{
    /// <summary>
    /// Creates an HttpClient whose requests carry parameters chosen by the test. Options of a single request
    /// (<see cref="Client.FastCgiRequestOptions"/>) override them. The factory disposes it with the server.
    /// </summary>
    /// <param name="factory">The factory. It starts the application if that has not started.</param>
    /// <param name="options">Default null: a client on 127.0.0.1, with plain HTTP.</param>
    /// <exception cref="InvalidOperationException">The factory runs another server.</exception>
    public static HttpClient CreateFastCgiClient<TEntryPoint>(
        this WebApplicationFactory<TEntryPoint> factory, FastCgiTestClientOptions? options = null)
        where TEntryPoint : class =>
        ServerOf(factory).CreateClient(options ?? new FastCgiTestClientOptions());

    /// <summary>
    /// Opens a connection to the server on which a test acts as the web server. The factory closes it with the server,
    /// if the test has not.
    /// </summary>
    /// <param name="factory">The factory. It starts the application if that has not started.</param>
    /// <param name="options">
    /// The facts for requests that do not set their own. Default null: a client on 127.0.0.1, with plain HTTP.
    /// </param>
    /// <param name="cancellationToken">Cancels the connection attempt.</param>
    /// <exception cref="InvalidOperationException">The factory runs another server.</exception>
    public static Task<FastCgiTestConnection> ConnectFastCgiAsync<TEntryPoint>(
        this WebApplicationFactory<TEntryPoint> factory,
        FastCgiTestClientOptions? options = null,
        CancellationToken cancellationToken = default)
        where TEntryPoint : class =>
        ServerOf(factory).ConnectAsync(options ?? new FastCgiTestClientOptions(), cancellationToken);

    private static FastCgiTestServer ServerOf<TEntryPoint>(WebApplicationFactory<TEntryPoint> factory)
        where TEntryPoint : class
    {
        ArgumentNullException.ThrowIfNull(factory);
        return factory.Server as FastCgiTestServer ?? throw new InvalidOperationException(
            $"The application runs on {factory.Server.GetType().Name}, not on FastCGI. Make the factory a " +
            $"FastCgiApplicationFactory<{typeof(TEntryPoint).Name}>.");
    }
}
