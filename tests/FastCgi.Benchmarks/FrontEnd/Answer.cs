namespace FastCgi.Benchmarks.FrontEnd;

/// <summary>One answer, for the check before anything is measured.</summary>
internal sealed record Answer(int Status, byte[] Body);
