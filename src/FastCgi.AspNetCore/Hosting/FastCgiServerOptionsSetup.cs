using FastCgi.AspNetCore.Hosting.Configuration;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Gives the options the application's services, its Kestrel settings and the section FastCgi, before code configures
/// them. The host may have no configuration.
/// </summary>
internal sealed class FastCgiServerOptionsSetup(IServiceProvider services) : IConfigureOptions<FastCgiServerOptions>
{
    public void Configure(FastCgiServerOptions options)
    {
        options.ApplicationServices = services;
        options.Kestrel = KestrelSettings.Read(services, options);
        if (services.GetService<IConfiguration>() is { } configuration)
        {
            options.Configure(configuration.GetSection(ServerSettings.SectionName));
        }
    }
}
