using FormSample;
using Microsoft.AspNetCore.Http.Features;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
builder.Services.AddRequestLimits();
// One field may be as long as the body, which FastCgi:Limits:MaxRequestBodySize limits.
builder.Services.Configure<FormOptions>(form => form.ValueLengthLimit = int.MaxValue);

var app = builder.Build();
app.UseRateLimiter();
app.Run(FormHandler.AnswerAsync);
app.Run();
