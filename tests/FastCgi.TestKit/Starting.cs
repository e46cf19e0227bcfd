namespace FastCgi.TestKit;

/// <summary>The start and the end of programs and sites of several parts.</summary>
public static class Starting
{
    /// <summary>Returns the whole when it has started. Where that fails, its parts end: nobody else has it to dispose.</summary>
    public static async Task<T> StartedAsync<T>(this T whole, Func<T, Task> start)
        where T : notnull
    {
        try
        {
            await start(whole);
            return whole;
        }
        catch
        {
            if (whole is IAsyncDisposable parts)
            {
                await parts.DisposeAsync();
            }
            else
            {
                ((IDisposable)whole).Dispose();
            }

            throw;
        }
    }

    /// <summary>Ends parts, in this order; null: it has not started.</summary>
    public static async ValueTask EndAsync(params IAsyncDisposable?[] parts)
    {
        foreach (var part in parts)
        {
            if (part is not null)
            {
                await part.DisposeAsync();
            }
        }
    }
}
