namespace FastCgi.FuzzTests.Memory.Serving;

/// <summary>The application fails because its script says so.</summary>
internal sealed class PlannedException() : Exception("The script says so.");
