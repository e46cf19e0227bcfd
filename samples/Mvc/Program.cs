using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using MvcSample.Data;
using MvcSample.Hosting;
using MvcSample.Storage;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();

var data = DataDirectory.Create(builder.Configuration, builder.Environment);
builder.Services.AddSingleton(data);
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<UploadStore>();
builder.Services.AddDbContext<NotesContext>(options => options.UseSqlite(data.ConnectionString));
builder.Services.AddHostedService<DatabaseSetup>();

// Keys that outlive the process: without them a restart would sign everybody out.
builder.Services.AddDataProtection().SetApplicationName("MvcSample").PersistKeysToFileSystem(data.Keys);

builder.Services.AddAuthentication(CookieAuthenticationDefaults.AuthenticationScheme).AddCookie(options =>
{
    options.LoginPath = "/account/sign-in";
    options.Cookie.Name = "signed-in";
});
builder.Services.AddDistributedMemoryCache();
builder.Services.AddSession(options =>
{
    options.Cookie.Name = "session";
    options.Cookie.IsEssential = true;
});

builder.Services.AddControllersWithViews(options =>
    options.Filters.Add(new AutoValidateAntiforgeryTokenAttribute()));
builder.Services.AddWriteLimits();
builder.Services.AddProblemDetails();
builder.Services.AddHealthChecks().AddCheck<DatabaseHealthCheck>("database");

var app = builder.Build();

app.UseExceptionHandler("/error/500");
app.UseStatusCodePagesWithReExecute("/error/{0}");
app.UseSecurityHeaders();
app.UseRouting();
app.UseRateLimiter();
app.UseAuthentication();
app.UseAuthorization();
app.UseSession();

app.MapStaticAssets();
app.MapHealthChecks("/health");
app.MapControllers().WithStaticAssets();

app.Run();

/// <summary>Public, so that <c>WebApplicationFactory&lt;Program&gt;</c> can start this very application.</summary>
public partial class Program;
