using FastCgi.AspNetCore.Scheduling;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// Holds the monitor of inline runs until it is disposed. Its ticks follow the time of the machine: it tells a run whose
/// thread the system took away, as one that keeps its thread.
/// </summary>
public sealed class StillMonitor : IDisposable
{
    private readonly SemaphoreSlim _ticking;

    public StillMonitor() : this(InlineRunMonitor.Shared.Ticking)
    {
    }

    /// <param name="ticking">Of the monitor of a server that is loaded a second time.</param>
    public StillMonitor(SemaphoreSlim ticking)
    {
        _ticking = ticking;
        Assert.True(ticking.Wait(Deadline.Default), "The monitor did not end its tick.");
    }

    public void Dispose() => _ticking.Release();
}
