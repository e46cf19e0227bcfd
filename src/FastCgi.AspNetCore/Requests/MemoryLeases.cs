using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The leases of one buffer that were not advanced: the application may be writing into it, on whatever thread. A
/// mutable struct: keep one beside the buffer.
/// </summary>
internal struct MemoryLeases
{
    private int _open;

    /// <summary>No record of ours may stand in the free memory, and the buffer may be nobody else's.</summary>
    public readonly bool AreOpen => _open > 0;

    public void Begin() => _open++;

    public void End() => _open = Math.Max(_open - 1, 0);

    /// <summary>The buffer is not needed any more. The next one has no lease.</summary>
    public void GiveBack(BufferPool pool, byte[] buffer)
    {
        if (AreOpen)
        {
            pool.Abandon(buffer);
            _open = 0;
        }
        else
        {
            pool.Return(buffer);
        }
    }
}
