using CrudApiSample.Catalogues;
using CrudApiSample.Description;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Records;
using Microsoft.Extensions.Options;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();

MovedSettings.Refuse(builder.Configuration);
builder.Services.AddOptions<ApiOptions>()
    .BindConfiguration("Api", binder => binder.ErrorOnUnknownConfiguration = true)
    .ValidateDataAnnotations()
    .ValidateOnStart();
builder.AddDatabase();
Access.AddTo(builder);
builder.Services.AddSingleton(TimeProvider.System);
builder.Services.AddSingleton<CatalogueCache>();
builder.Services.AddHostedService(services => services.GetRequiredService<CatalogueCache>());
builder.Services.AddSingleton<RecordRows>();
builder.Services.AddSingleton<RecordReader>();
builder.Services.AddSingleton<RecordWriter>();
builder.Services.AddSingleton<ExampleRecords>();
builder.Services.AddSingleton<ApiDescription>();
builder.Services.AddSingleton<ConflictFinder>();
builder.Services.AddProblemDetails();
builder.Services.AddExceptionHandler<ProblemHandler>();
builder.Services.AddCors();

var app = builder.Build();

app.UseExceptionHandler();
app.UseStatusCodeProblems();
app.UseDescriptionPage();
app.UseRouting();
if (app.Services.GetRequiredService<IOptions<ApiOptions>>().Value.CorsOrigins is { Count: > 0 } origins)
{
    app.UseCors(policy => policy
        .WithOrigins([.. origins]).AllowAnyHeader().AllowAnyMethod().WithExposedHeaders("Location", "Allow"));
}

app.UseAuthentication();
app.UseAuthorization();

app.MapDescription();
app.MapRecords();

app.Run();
