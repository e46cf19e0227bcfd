namespace FastCgi.AspNetCore.Status;

/// <summary>Where the figures of the status page come from.</summary>
internal interface IStatusSource
{
    /// <param name="isFull">With every running request.</param>
    StatusSnapshot Take(bool isFull);
}
