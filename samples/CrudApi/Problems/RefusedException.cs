using Microsoft.AspNetCore.Mvc;

namespace CrudApiSample.Problems;

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
