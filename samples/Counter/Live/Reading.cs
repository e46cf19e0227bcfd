namespace CounterSample.Live;

/// <summary>What the process used: processor time of the second before, in percent of one core, and memory in bytes.</summary>
public sealed record Reading(DateTimeOffset Time, double ProcessorPercent, long MemoryBytes);
