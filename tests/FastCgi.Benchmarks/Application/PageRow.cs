namespace FastCgi.Benchmarks.Application;

/// <summary>One line of the Razor page.</summary>
public sealed record PageRow(int Number, string Name, decimal Price);
