namespace FastCgi.FuzzTests.Application;

/// <summary>The application fails because its script says so.</summary>
internal sealed class PlannedException() : Exception("The script says so.");
