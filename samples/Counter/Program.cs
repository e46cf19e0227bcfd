using CounterSample.Components;
using CounterSample.Hosting;
using CounterSample.Live;
using Microsoft.AspNetCore.Components.Server.Circuits;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
// For dotnet run: published, the files lie beside the program, and this does nothing.
builder.WebHost.UseStaticWebAssets();
builder.AddKeptKeys();

builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<Feed>();
builder.Services.AddSingleton<OpenPages>();
builder.Services.AddScoped<CircuitHandler, OpenPageCounter>();
builder.Services.AddHostedService<FeedWriter>();
builder.Services.AddRazorComponents().AddInteractiveServerComponents();

var app = builder.Build();
app.UseHead();
app.UseStatusCodePagesWithReExecute("/not-found");
app.UseRouting();
app.UseAntiforgery();
app.MapStaticAssets();
app.MapRazorComponents<App>().AddInteractiveServerRenderMode();
app.Run();
