using System.Data.Common;
using CrudApiSample.Databases;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;

namespace CrudApiSample.Problems;

/// <summary>Answers with problem details (RFC 9457) what went wrong.</summary>
internal sealed partial class ProblemHandler(Database database, ILogger<ProblemHandler> logger) : IExceptionHandler
{
    public async ValueTask<bool> TryHandleAsync(
        HttpContext context, Exception exception, CancellationToken cancellationToken)
    {
        var problem = exception switch
        {
            RefusedException refused => refused.Problem,
            BadHttpRequestException bad => Refuse.Problem(bad.StatusCode, bad.Message),
            DbException failure => Describe(failure),
            _ => null,
        };
        if (problem is null)
        {
            LogFailed(logger, context.Request.Path, exception);
            problem = Refuse.Problem(StatusCodes.Status500InternalServerError, "The server failed; its log says why.");
        }

        if (exception is RefusedException { Allow: { } allow })
        {
            context.Response.Headers.Allow = allow;
        }

        await Results.Problem(problem).ExecuteAsync(context);
        return true;
    }

    /// <summary>The database's own words stay in the log: they may tell more than the client should know.</summary>
    private ProblemDetails? Describe(DbException exception)
    {
        var failure = database.Classify(exception);
        switch (failure)
        {
            case DatabaseFailure.Unknown:
                return null;
            case DatabaseFailure.Unavailable:
                LogUnavailable(logger, exception);
                break;
            default:
                LogRefused(logger, failure, exception.Message);
                break;
        }

        return failure switch
        {
            DatabaseFailure.Duplicate => Refuse.Problem(
                StatusCodes.Status409Conflict, "There is a record already with a value that has to be unique."),
            DatabaseFailure.Reference => Refuse.Problem(
                StatusCodes.Status409Conflict,
                "A record that is referred to does not exist, or one that is to go is still referred to."),
            DatabaseFailure.Value => Refuse.Problem(
                StatusCodes.Status422UnprocessableEntity, "The database does not take one of the values."),
            DatabaseFailure.Operator => Refuse.Problem(
                StatusCodes.Status400BadRequest, "A column can be neither compared nor sorted that way."),
            DatabaseFailure.Denied => Refuse.Problem(
                StatusCodes.Status403Forbidden, "The database does not allow that."),
            _ => Refuse.Problem(StatusCodes.Status503ServiceUnavailable, "The database cannot be reached."),
        };
    }

    [LoggerMessage(11, LogLevel.Error, "{Path} failed.")]
    private static partial void LogFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(12, LogLevel.Error, "The database cannot be reached.")]
    private static partial void LogUnavailable(ILogger logger, Exception exception);

    [LoggerMessage(13, LogLevel.Information, "The database refused ({Failure}): {Message}")]
    private static partial void LogRefused(ILogger logger, DatabaseFailure failure, string message);
}
