using CrudApiSample.Hosting;

namespace CrudApiSample.Problems;

internal static class StatusCodeProblems
{
    /// <summary>Gives problem details to what the framework refuses without a word, as paths without a route.</summary>
    public static void UseStatusCodeProblems(this WebApplication app)
    {
        var access = app.Services.GetRequiredService<Access>();
        app.UseStatusCodePages(pages =>
        {
            var status = pages.HttpContext.Response.StatusCode;
            var detail = status == StatusCodes.Status401Unauthorized ? access.Demand : null;
            return Results.Problem(detail, statusCode: status).ExecuteAsync(pages.HttpContext);
        });
    }
}
