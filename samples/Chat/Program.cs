using ChatSample;
using ChatSample.Hosting;
using ChatSample.Rooms;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<RoomSet>();
builder.Services.AddSignalR();

var app = builder.Build();
app.UseSecurityHeaders();
app.UseFileServer();
app.MapHub<ChatHub>("/hub");
app.Run();
