using FormSample;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddRequestLimits();

var app = builder.Build();
app.UseRateLimiter();
app.Run(FormHandler.AnswerAsync);
app.Run();
