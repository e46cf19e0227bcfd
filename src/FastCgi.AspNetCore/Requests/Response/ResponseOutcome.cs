namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>How a response ends once the application has returned.</summary>
internal enum ResponseOutcome
{
    /// <summary>As the application wrote it.</summary>
    Whole,

    /// <summary>By an answer of the server: the application failed before the response started.</summary>
    Error,

    /// <summary>
    /// Broken off: the application failed after the start, and the client must not take half for whole.
    /// </summary>
    Torn,
}

/// <summary>The rule of the outcome.</summary>
internal static class ResponseOutcomes
{
    /// <param name="hasStarted">The head is written.</param>
    /// <param name="hasFailed">An exception escaped from the application, or its body is too short.</param>
    /// <param name="isBodyForbidden">The head is all there is to the response, so nothing of it can be missing.</param>
    public static ResponseOutcome Of(bool hasStarted, bool hasFailed, bool isBodyForbidden) =>
        !hasStarted ? ResponseOutcome.Error
        : hasFailed && !isBodyForbidden ? ResponseOutcome.Torn
        : ResponseOutcome.Whole;
}
