namespace FastCgi.MatrixApp;

/// <summary>The application of the matrix as a process of its own, as web servers start it.</summary>
internal static class MatrixProgram
{
    public static Task Main(string[] args)
    {
        var builder = WebApplication.CreateBuilder(args);
        builder.WebHost.UseFastCgi();
        var app = builder.Build();
        MatrixApplication.Configure(app);
        return app.RunAsync();
    }
}
