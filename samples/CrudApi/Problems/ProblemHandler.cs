using System.Data.Common;
using CrudApiSample.Databases;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;

namespace CrudApiSample.Problems;

/// <summary>Answers with problem details (RFC 9457) what went wrong.</summary>
internal sealed partial class ProblemHandler(
    Database database, ConflictFinder conflicts, ILogger<ProblemHandler> logger) : IExceptionHandler
{
    public async ValueTask<bool> TryHandleAsync(
        HttpContext context, Exception exception, CancellationToken cancellationToken)
    {
        var problem = exception switch
        {
            RefusedException refused => refused.Problem,
            BadHttpRequestException bad => Refuse.Problem(bad.StatusCode, bad.Message),
            DbException failure => Describe(failure),
            FailedWriteException failure => await DescribeAsync(failure, context, cancellationToken),
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

    /// <summary>Names the column, where the database or a look at its tables tells which one it is.</summary>
    private async Task<ProblemDetails?> DescribeAsync(
        FailedWriteException exception, HttpContext context, CancellationToken cancellationToken)
    {
        var problem = Describe(exception.Failure);
        switch (database.Classify(exception.Failure))
        {
            case DatabaseFailure.Duplicate:
                var columns = await conflicts.FindUniqueAsync(exception, cancellationToken);
                if (columns.Count > 0)
                {
                    var names = string.Join(", ", columns.Select(column => $"'{column.Name}'"));
                    problem!.Detail = $"Table '{exception.Table.Name}' has this value of {names} already.";
                    problem.Extensions["column"] = string.Join(',', columns.Select(column => column.Name));
                }

                break;
            case DatabaseFailure.Reference when exception.Assignments.Count > 0:
                if (await conflicts.FindMissingReferenceAsync(exception, context, cancellationToken) is { } missing)
                {
                    problem!.Detail = $"Column '{missing.Name}' refers to a record of '{missing.References!.Table}' "
                        + "that does not exist.";
                    problem.Extensions["column"] = missing.Name;
                }

                break;
            case DatabaseFailure.Reference:
                if (await conflicts.FindReferrerAsync(exception, context, cancellationToken) is var (table, column))
                {
                    problem!.Detail = $"Column '{column.Name}' of '{table.Name}' still refers to the record.";
                    problem.Extensions["column"] = column.Name;
                }

                break;
        }

        return problem is not null && exception.Record is { } record ? Refuse.OfRecord(problem, record) : problem;
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
