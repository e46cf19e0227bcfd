namespace FastCgi.FunctionalTests.Harness;

/// <summary>Tests that measure the process, and so run when no other test does.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
