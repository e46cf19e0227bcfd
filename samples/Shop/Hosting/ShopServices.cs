using System.Text.Encodings.Web;
using System.Text.Unicode;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.DataProtection.KeyManagement;
using Microsoft.Extensions.WebEncoders;
using ShopSample.Baskets;
using ShopSample.Catalog;
using ShopSample.Data;
using ShopSample.Ordering;

namespace ShopSample.Hosting;

internal static class ShopServices
{
    /// <exception cref="SetupException">A setting is wrong.</exception>
    public static void AddShop(this WebApplicationBuilder builder)
    {
        var services = builder.Services;
        var data = DataDirectory.Create(builder.Configuration, builder.Environment);
        var database = ShopDatabase.Create(builder.Configuration, data);

        services.AddSingleton(_ => database);
        services.AddSingleton(TimeProvider.System);
        services.AddSingleton<ItemStore>();
        services.AddSingleton<OrderStore>();
        services.AddSingleton<BasketStore>();

        // Keys that outlive the process: without them a restart would refuse every form that is open in a browser.
        var protection = services.AddDataProtection().SetApplicationName("ShopSample");
        if (IsShared(builder.Configuration, database))
        {
            services.AddOptions<KeyManagementOptions>()
                .Configure(options => options.XmlRepository = new SharedKeys(database));
        }
        else
        {
            protection.PersistKeysToFileSystem(data.Keys);
        }

        services.AddAntiforgery(options =>
        {
            options.Cookie.Name = "shop-form";
            options.Cookie.SecurePolicy = CookieSecurePolicy.SameAsRequest;
        });

        services.AddWriteLimits();
        services.AddRazorPages();
        services.AddHealthChecks().AddCheck<DatabaseHealthCheck>("database");

        // Pages are UTF-8; letters beyond ASCII need no escapes.
        services.Configure<WebEncoderOptions>(
            options => options.TextEncoderSettings = new TextEncoderSettings(UnicodeRanges.All));
    }

    /// <summary>Several hosts serve one shop: what a host would keep for itself is in the database.</summary>
    private static bool IsShared(ConfigurationManager configuration, ShopDatabase database)
    {
        var setting = configuration["Shared"];
        if (!bool.TryParse(string.IsNullOrEmpty(setting) ? bool.FalseString : setting, out var isShared))
        {
            throw new SetupException($"--Shared '{setting}' is neither true nor false.");
        }

        if (!isShared)
        {
            return false;
        }

        return database.IsServer
            ? true
            : throw new SetupException("--Shared needs a database that all hosts reach: postgresql or mariadb.");
    }
}
