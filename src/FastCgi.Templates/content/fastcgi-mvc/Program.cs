using Microsoft.AspNetCore.Mvc;

var builder = WebApplication.CreateBuilder(args);

// In production a web server connects by FastCGI. In development the gateway serves http, so "dotnet run" is enough.
builder.WebHost.UseFastCgi();
builder.WebHost.UseFastCgiDevelopmentGateway();

builder.Services.AddControllersWithViews(options =>
    options.Filters.Add(new AutoValidateAntiforgeryTokenAttribute()));

var app = builder.Build();

if (!app.Environment.IsDevelopment())
{
    app.UseExceptionHandler("/home/error");
}

app.UseStatusCodePagesWithReExecute("/home/error/{0}");
app.UseRouting();
app.UseAuthorization();

app.MapStaticAssets();
app.MapControllerRoute("default", "{controller=Home}/{action=Index}/{id?}").WithStaticAssets();

app.Run();
