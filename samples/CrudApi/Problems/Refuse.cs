using System.Diagnostics.CodeAnalysis;
using CrudApiSample.Catalogues;
using Microsoft.AspNetCore.Mvc;

namespace CrudApiSample.Problems;

/// <summary>Throws what the client is told; each names the offending part.</summary>
internal static class Refuse
{
    private const int MaxShownLength = 100;

    [DoesNotReturn]
    public static void UnknownTable(string table) =>
        Throw(StatusCodes.Status404NotFound, $"There is no table '{Shown(table)}'.");

    [DoesNotReturn]
    public static void UnknownColumn(Table table, string column) =>
        Throw(
            StatusCodes.Status400BadRequest,
            $"Table '{table.Name}' has no column '{Shown(column)}'.",
            ("column", Shown(column)));

    [DoesNotReturn]
    public static void UnknownRecords(Table table, IEnumerable<string> keys) =>
        Throw(
            StatusCodes.Status404NotFound,
            $"Table '{table.Name}' has no record {string.Join(", ", keys.Select(key => $"'{Shown(key)}'"))}.");

    /// <summary>An operation that the configuration does not allow, or that a view does not have.</summary>
    [DoesNotReturn]
    public static void NotAllowed(Table table, string method) => throw new RefusedException(Problem(
        StatusCodes.Status405MethodNotAllowed,
        $"{method} is not allowed on {(table.IsReadOnly ? "the view " : "")}'{table.Name}'."))
    {
        Allow = string.Join(", ", Methods(table.Operations)),
    };

    /// <summary>A parameter of the query string that is not understood.</summary>
    [DoesNotReturn]
    public static void Query(string name, string detail) =>
        Throw(StatusCodes.Status400BadRequest, detail, ("parameter", Shown(name)));

    /// <summary>Whatever has no method of its own.</summary>
    [DoesNotReturn]
    public static void Request(int status, string detail) => Throw(status, detail);

    /// <summary>A body that is no JSON or not of the form that it should have.</summary>
    [DoesNotReturn]
    public static void Body(string detail) => Throw(StatusCodes.Status400BadRequest, detail);

    /// <summary>Records of an array. What was wrong with each of them is listed.</summary>
    /// <param name="problems">By the number of the record, from 1.</param>
    [DoesNotReturn]
    public static void Records(IReadOnlyList<(int Record, ProblemDetails Problem)> problems)
    {
        var (record, first) = problems[0];
        throw new RefusedException(OfRecord(first, record, problems));
    }

    /// <summary>The problem of one record of an array, which keeps what it names.</summary>
    public static ProblemDetails OfRecord(
        ProblemDetails problem, int record, IReadOnlyList<(int Record, ProblemDetails Problem)>? all = null)
    {
        var errors = (all ?? [(record, problem)]).Select(error => new Dictionary<string, object?>(
            error.Problem.Extensions) { ["record"] = error.Record, ["detail"] = error.Problem.Detail });
        var whole = Problem(problem.Status!.Value, $"Record {record}: {problem.Detail} No record was written.");
        foreach (var (name, value) in problem.Extensions)
        {
            whole.Extensions[name] = value;
        }

        whole.Extensions["record"] = record;
        whole.Extensions["errors"] = errors.ToArray();
        return whole;
    }

    /// <summary>A value that the column cannot hold.</summary>
    /// <param name="value">As it was sent.</param>
    /// <param name="reason">The rest of a sentence that begins with the column.</param>
    [DoesNotReturn]
    public static void Value(Column column, string? value, string reason) =>
        Throw(
            StatusCodes.Status422UnprocessableEntity,
            $"Column '{column.Name}' {reason}.",
            ("column", column.Name),
            ("value", value is null ? null : Shown(value)));

    public static ProblemDetails Problem(int status, string detail) => new() { Status = status, Detail = detail };

    private static IEnumerable<string> Methods(Operations operations) =>
    [
        .. operations.HasFlag(Operations.Read) ? new[] { "GET", "HEAD" } : [],
        .. operations.HasFlag(Operations.Create) ? new[] { "POST" } : [],
        .. operations.HasFlag(Operations.Update) ? new[] { "PUT", "PATCH" } : [],
        .. operations.HasFlag(Operations.Delete) ? new[] { "DELETE" } : [],
    ];

    private static string Shown(string text) =>
        text.Length <= MaxShownLength ? text : string.Concat(text.AsSpan(0, MaxShownLength), "…");

    [DoesNotReturn]
    private static void Throw(int status, string detail, params ReadOnlySpan<(string Name, string? Value)> extensions)
    {
        var problem = Problem(status, detail);
        foreach (var (name, value) in extensions)
        {
            problem.Extensions[name] = value;
        }

        throw new RefusedException(problem);
    }
}

/// <summary>
/// A request that is not done, and why. What is refused shows in the midst of a body or comes from the database's
/// driver as an exception of its own; so both go up alike, and <see cref="ProblemHandler"/> alone answers them.
/// </summary>
internal sealed class RefusedException(ProblemDetails problem) : Exception(problem.Detail)
{
    public ProblemDetails Problem { get; } = problem;

    /// <summary>The methods that would be taken, for 405.</summary>
    public string? Allow { get; init; }
}
