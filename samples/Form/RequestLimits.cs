using System.ComponentModel.DataAnnotations;

namespace FormSample;

/// <summary>The section <c>Requests</c>: how many are served at a time, and how many wait.</summary>
public sealed class RequestLimits
{
    public const string Section = "Requests";

    /// <summary>Requests that are served at a time; further ones wait.</summary>
    [Range(1, int.MaxValue)]
    public int MaxConcurrent { get; set; } = 256;

    /// <summary>Requests that wait, the oldest being the next; further ones are answered with 503.</summary>
    [Range(0, int.MaxValue)]
    public int QueueLimit { get; set; } = 1280;
}
