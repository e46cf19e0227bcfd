using FastCgi.StartupHook;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

[assembly: HostingStartup(typeof(WebHostStartup))]

namespace FastCgi.StartupHook;

/// <summary>
/// For the old WebHostBuilder, which raises no event (ASPNETCORE_HOSTINGSTARTUPASSEMBLIES names this assembly). Its own
/// services are added after these, so Kestrel is replaced when the container is built.
/// </summary>
internal sealed class WebHostStartup : IHostingStartup
{
    public void Configure(IWebHostBuilder builder)
    {
        // Other builders raise the event, and also run this.
        if (builder.GetType().FullName == "Microsoft.AspNetCore.Hosting.WebHostBuilder")
        {
            var factory = new ContainerFactory();
            builder.ConfigureAppConfiguration(
                static (_, configuration) => ServerReplacement.AddSettings(configuration));
            builder.ConfigureServices(services => services.Replace(
                ServiceDescriptor.Singleton<IServiceProviderFactory<IServiceCollection>>(factory)));
        }
    }

    /// <summary>Builds both containers of the host: that of hosting, and that of the application.</summary>
    private sealed class ContainerFactory : IServiceProviderFactory<IServiceCollection>
    {
        private bool? _isFirstHost;

        public IServiceCollection CreateBuilder(IServiceCollection services)
        {
            if (ServerReplacement.HasKestrel(services) && (_isFirstHost ??= ServerReplacement.TryClaim()))
            {
                services.AddFastCgiServer();
            }

            return services;
        }

        public IServiceProvider CreateServiceProvider(IServiceCollection containerBuilder) =>
            containerBuilder.BuildServiceProvider();
    }
}
