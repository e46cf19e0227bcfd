using FastCgi.Gateway.Doors;
using Microsoft.AspNetCore.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Endpoints that only one of two servers serves. The other answers 404.</summary>
public static class FastCgiEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Restricts the endpoint to requests from a web server, by FastCGI or SCGI. On TestServer it is a 404.
    /// </summary>
    /// <param name="builder">The endpoint, or a group of endpoints.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="InvalidOperationException">
    /// <see cref="FastCgiGatewayWebHostBuilderExtensions.UseKestrelBesideFastCgi"/> was not called. Routes are built at
    /// the first request, so every request is then answered with 500.
    /// </exception>
    public static TBuilder RequireFastCgi<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder => Require(builder, Door.FastCgi);

    /// <summary>
    /// Restricts the endpoint to requests that came to Kestrel, without a web server. Clients of the web server cannot
    /// reach it, whatever Host they send. TestServer serves it.
    /// </summary>
    /// <param name="builder">The endpoint, or a group of endpoints.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="InvalidOperationException">
    /// <see cref="FastCgiGatewayWebHostBuilderExtensions.UseKestrelBesideFastCgi"/> was not called. Routes are built at
    /// the first request, so every request is then answered with 500.
    /// </exception>
    public static TBuilder RequireKestrel<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder => Require(builder, Door.Kestrel);

    private static TBuilder Require<TBuilder>(TBuilder builder, Door door)
        where TBuilder : IEndpointConventionBuilder
    {
        builder.Add(endpoint =>
        {
            // Without the policy, the endpoint would be open to all.
            if (!endpoint.ApplicationServices.GetServices<MatcherPolicy>().OfType<DoorPolicy>().Any())
            {
                throw new InvalidOperationException(
                    $"The endpoint '{endpoint.DisplayName}' is for requests of {door} alone, and " +
                    "nothing tells the servers apart. Call builder.WebHost.UseKestrelBesideFastCgi() in Program.cs.");
            }

            endpoint.Metadata.Add(new DoorMetadata(door));
        });
        return builder;
    }
}
