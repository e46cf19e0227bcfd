namespace MvcSample.Models;

/// <summary>A status, what it means, and the identifier under which the log tells more.</summary>
public sealed record ErrorPage(int Status, string Reason, string TraceIdentifier);
