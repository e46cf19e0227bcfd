namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>Connections that wait to be accepted: now, at most so far, and how many can wait.</summary>
internal readonly record struct ListenQueueFigures(long Waiting, long Most, long Length);
