var builder = WebApplication.CreateBuilder(args);

// In production a web server connects by FastCGI. In development the gateway serves http, so "dotnet run" is enough.
builder.WebHost.UseFastCgi();
builder.WebHost.UseFastCgiDevelopmentGateway();

var app = builder.Build();

app.MapGet("/", (HttpRequest request) => $"You asked for {request.Path} on {request.Host}.");

app.Run();
