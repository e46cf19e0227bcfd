using Microsoft.Extensions.Options;

namespace CrudApiSample.Hosting;

internal static class Cors
{
    /// <summary>Lets pages of the configured origins use the API; without any, no page of another origin.</summary>
    public static void UseConfiguredCors(this WebApplication app)
    {
        var origins = app.Services.GetRequiredService<IOptions<ApiOptions>>().Value.CorsOrigins;
        if (origins.Count > 0)
        {
            app.UseCors(policy => policy
                .WithOrigins([.. origins])
                .AllowAnyHeader()
                .AllowAnyMethod()
                .WithExposedHeaders("Location", "Allow"));
        }
    }
}
