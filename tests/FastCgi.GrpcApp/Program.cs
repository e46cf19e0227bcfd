using FastCgi.GrpcApp;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi();
builder.WebHost.UseKestrelBesideFastCgi();
builder.Services.AddGrpc();

var app = builder.Build();
app.MapGet("/", (HttpRequest request) => $"You asked for {request.Path} on {request.Host}.").RequireFastCgi();
app.MapGet("/probe", () => "alive").RequireKestrel();
app.MapGrpcService<GreeterService>().RequireKestrel();
app.Run();
