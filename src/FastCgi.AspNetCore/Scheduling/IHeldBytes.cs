namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Bytes that were flushed and are held back for a moment, because more is likely to leave with them.
/// </summary>
internal interface IHeldBytes
{
    /// <summary>
    /// The hold with this name ends, and what it held leaves; nothing happens if it is over. False: another thread
    /// uses the bytes at this moment, so ask again later. The monitor calls it, so it must not wait.
    /// </summary>
    bool TryRelease(int hold);
}
