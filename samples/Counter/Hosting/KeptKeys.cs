using Microsoft.AspNetCore.DataProtection;

namespace CounterSample.Hosting;

/// <summary>
/// A page that was sent before a restart, or by another instance, can be made live only with the keys that protected
/// what it carries. They lie in the one directory that the application writes to, named by the setting <c>Data</c>.
/// </summary>
internal static class KeptKeys
{
    public static void AddKeptKeys(this WebApplicationBuilder builder)
    {
        // A relative path starts at the content root.
        var data = Path.Combine(builder.Environment.ContentRootPath, builder.Configuration["Data"] ?? "App_Data");
        builder.Services.AddDataProtection().SetApplicationName("CounterSample")
            .PersistKeysToFileSystem(Directory.CreateDirectory(Path.Combine(data, "keys")));
    }
}
