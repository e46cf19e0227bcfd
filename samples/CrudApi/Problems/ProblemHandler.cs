using System.Data.Common;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Queries;
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
                var unique = await database.ReadUniqueColumnsAsync(
                    exception.Failure, exception.Table, cancellationToken);
                // None when the database does not tell.
                string[] names = [.. unique.Where(name => exception.Table.Find(name) is not null)];
                if (names.Length > 0)
                {
                    var quoted = string.Join(", ", names.Select(name => $"'{name}'"));
                    problem!.Detail = $"Table '{exception.Table.Name}' has this value of {quoted} already.";
                    problem.Extensions["column"] = string.Join(',', names);
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

/// <summary>Finds the columns that a write failed on, after its transaction has been rolled back.</summary>
internal sealed class ConflictFinder(Database database, CatalogueCache catalogues)
{
    /// <returns>The column whose value is missing in the other table, or null.</returns>
    public async Task<Column?> FindMissingReferenceAsync(
        FailedWriteException failure, HttpContext context, CancellationToken cancellationToken)
    {
        var catalogue = await catalogues.GetAsync(context);
        await using var session = await database.OpenAsync(cancellationToken);
        foreach (var (column, value, _, _) in failure.Assignments)
        {
            if (value is not null && column.References is { } reference
                && catalogue.Find(reference.Table) is { } other && other.Find(reference.Column) is { } target
                && !await ExistsAsync(session, other, target, value, cancellationToken))
            {
                return column;
            }
        }

        return null;
    }

    /// <returns>The column that still refers to the record, with its table, or null.</returns>
    public async Task<(Table Table, Column Column)?> FindReferrerAsync(
        FailedWriteException failure, HttpContext context, CancellationToken cancellationToken)
    {
        var catalogue = await catalogues.GetAsync(context);
        await using var session = await database.OpenAsync(cancellationToken);
        foreach (var other in catalogue.Tables)
        {
            foreach (var column in other.Columns)
            {
                if (column.References is { } reference
                    && reference.Table == failure.Table.Name && reference.Column == failure.Table.Key?.Name
                    && await ExistsAsync(session, other, column, failure.Key!, cancellationToken))
                {
                    return (other, column);
                }
            }
        }

        return null;
    }

    private async Task<bool> ExistsAsync(
        Session session, Table table, Column column, object value, CancellationToken cancellationToken)
    {
        var filter = new Filter([], column, "eq", IsNegated: false, [value]);
        await using var reader =
            await session.QueryAsync(new SqlWriter(database).Count(table, new FilterTree(filter)), cancellationToken);
        return await reader.ReadAsync(cancellationToken) && reader.GetInt64(0) > 0;
    }
}
