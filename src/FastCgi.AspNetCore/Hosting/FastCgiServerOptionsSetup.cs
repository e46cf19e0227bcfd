using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Gives the options the services of the application before anybody configures them.</summary>
internal sealed class FastCgiServerOptionsSetup(IServiceProvider services) : IConfigureOptions<FastCgiServerOptions>
{
    public void Configure(FastCgiServerOptions options) => options.ApplicationServices = services;
}
