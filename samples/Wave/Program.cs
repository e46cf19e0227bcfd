using WaveSample;

var builder = WebApplication.CreateBuilder(args);
if (!ServerChoice.TryApply(builder, out var fault))
{
    Console.Error.WriteLine(fault);
    return 1;
}

builder.Services.AddControllers();

var app = builder.Build();

// Before routing, which they would otherwise pay for: what they cost is the server's.
app.Use(DirectAnswers.InvokeAsync);
app.UseRouting();
app.MapControllers();
app.MapGet("/", RoutesPage.Render);

app.Run();
return 0;
