using FastCgi.AspNetCore.Scheduling;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// Stops the ticks of the monitor of inline runs until it is disposed. The monitor works in real time: when the system
/// pauses a thread for some milliseconds, it takes this for an application that keeps its thread.
/// </summary>
public sealed class StillMonitor : IDisposable
{
    private readonly SemaphoreSlim _ticking;

    public StillMonitor() : this(InlineRunMonitor.Shared.Ticking)
    {
    }

    /// <param name="ticking">What the monitor holds during each tick.</param>
    public StillMonitor(SemaphoreSlim ticking)
    {
        _ticking = ticking;
        Assert.True(ticking.Wait(Deadline.Default), "The monitor did not end its tick.");
    }

    public void Dispose() => _ticking.Release();
}
