using ShopSample.Baskets;
using ShopSample.Data;
using ShopSample.Hosting;

try
{
    var builder = WebApplication.CreateBuilder(args);
    builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
    builder.AddShop();

    var app = builder.Build();
    await app.Services.GetRequiredService<ShopDatabase>().PrepareAsync();
    await app.Services.GetRequiredService<BasketStore>().DeleteOldAsync(CancellationToken.None);

    app.UseExceptionHandler("/error/500");
    app.UseStatusCodePagesWithReExecute("/error/{0}");
    app.UseSecurityHeaders();
    app.UseRouting();
    app.UseRateLimiter();

    app.MapStaticAssets();
    app.MapHealthChecks("/health");
    app.MapRazorPages().WithStaticAssets();

    await app.RunAsync();
    return 0;
}
catch (SetupException problem)
{
    await Console.Error.WriteLineAsync($"The shop cannot open: {problem.Message}");
    return 1;
}
