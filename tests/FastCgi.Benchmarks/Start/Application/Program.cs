// The program whose start is measured: FastCgi or Kestrel, and the path of a unix socket, or "inherit" for a socket
// that the program's starter passes. Under fcgi run it is neither, since the tool says where to listen.
var builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
#if FASTCGI
if (args[0] == "FastCgi")
{
    builder.WebHost.UseFastCgi(options =>
    {
        if (args[1] == "inherit")
        {
            options.ListenSystemd();
        }
        else
        {
            options.ListenUnixSocket(args[1]);
        }
    });
}
#endif

if (args[0] == "Kestrel")
{
    builder.WebHost.ConfigureKestrel(options =>
    {
        if (args[1] == "inherit")
        {
            options.UseSystemd();
        }
        else
        {
            options.ListenUnixSocket(args[1]);
        }
    });
}

var app = builder.Build();
app.MapGet("/", () => "Hello, World!");
app.Run();
