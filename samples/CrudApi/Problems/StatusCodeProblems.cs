namespace CrudApiSample.Problems;

internal static class StatusCodeProblems
{
    /// <summary>Gives problem details to what the framework refuses without a word, as paths without a route.</summary>
    public static void UseStatusCodeProblems(this WebApplication app) => app.UseStatusCodePages(pages =>
        Results.Problem(statusCode: pages.HttpContext.Response.StatusCode).ExecuteAsync(pages.HttpContext));
}
