using ChatSample;
using ChatSample.Hosting;
using ChatSample.Rooms;
using Microsoft.AspNetCore.SignalR;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<RoomSet>();
builder.Services.AddSignalR(hubs => hubs.AddFilter<ChatPace>());

var app = builder.Build();
app.UseSecurityHeaders();
app.UseStatusCodePages("text/html; charset=utf-8", """
    <!DOCTYPE html>
    <html lang="en">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Chat</title>
    <link rel="stylesheet" href="/chat.css">
    <header><a class="brand" href="/">Chat</a></header>
    <main>
      <h1>Nothing here</h1>
      <p>There is nothing to see here: status {0}. <a href="/">To the chat</a></p>
    </main>

    """);
app.UseFileServer();
app.MapHub<ChatHub>("/hub");
app.Run();
