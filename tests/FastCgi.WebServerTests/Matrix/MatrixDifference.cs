namespace FastCgi.WebServerTests.Matrix;

/// <summary>
/// What a row comes to on some columns in place of what it says, known beforehand. Anything else there fails, also
/// what the row says.
/// </summary>
/// <param name="Reason">Why it has to be, in the words of the documentation.</param>
internal sealed record MatrixDifference(IReadOnlyList<MatrixColumn> Columns, string Outcome, string Reason);
