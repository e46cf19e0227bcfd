// The program whose start is measured: FastCgi or Kestrel, and the path of a unix socket.
var builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
if (args[0] == "FastCgi")
{
    builder.WebHost.UseFastCgi(options => options.ListenUnixSocket(args[1]));
}
else
{
    builder.WebHost.ConfigureKestrel(options => options.ListenUnixSocket(args[1]));
}

var app = builder.Build();
app.MapGet("/", () => "Hello, World!");
app.Run();
