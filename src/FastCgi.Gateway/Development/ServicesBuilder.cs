using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;

namespace FastCgi.Gateway.Development;

/// <summary>Lets extension methods of a builder add services while the builder's own are added.</summary>
internal sealed class ServicesBuilder(WebHostBuilderContext context, IServiceCollection services) : IWebHostBuilder
{
#pragma warning disable ASPDEPR008 // The interface has it.
    public IWebHost Build() => throw new NotSupportedException();
#pragma warning restore ASPDEPR008

    public IWebHostBuilder ConfigureAppConfiguration(
        Action<WebHostBuilderContext, IConfigurationBuilder> configureDelegate) => throw new NotSupportedException();

    public IWebHostBuilder ConfigureServices(Action<IServiceCollection> configureServices)
    {
        configureServices(services);
        return this;
    }

    public IWebHostBuilder ConfigureServices(Action<WebHostBuilderContext, IServiceCollection> configureServices)
    {
        configureServices(context, services);
        return this;
    }

    public string? GetSetting(string key) => context.Configuration[key];

    public IWebHostBuilder UseSetting(string key, string? value) => throw new NotSupportedException();
}
