using Microsoft.Extensions.Caching.Distributed;

namespace ShopSample.Data;

/// <summary>
/// Sessions in the database, so that every host of the shop sees the same baskets. What has expired is deleted when a new
/// session begins.
/// </summary>
internal sealed class SharedSessions(ShopDatabase database, TimeProvider time) : IDistributedCache
{
    private static readonly TimeSpan _keptByDefault = TimeSpan.FromMinutes(20);

    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        await using var connection = await database.OpenAsync(token);
        await using var command = connection.CreateCommand(
            "SELECT content FROM sessions WHERE id = @id AND expires_at > @now", ("@id", key), ("@now", Now));
        return await command.ExecuteScalarAsync(token) is string content ? Convert.FromBase64String(content) : null;
    }

    public async Task SetAsync(
        string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        var kept = options.SlidingExpiration ?? _keptByDefault;
        (string, object)[] parameters =
        [
            ("@id", key), ("@content", Convert.ToBase64String(value)),
            ("@kept", (long)kept.TotalSeconds), ("@expires", Now + (long)kept.TotalSeconds),
        ];
        if (await ExecuteAsync(
            "UPDATE sessions SET content = @content, kept = @kept, expires_at = @expires WHERE id = @id",
            token, parameters) == 0)
        {
            await ExecuteAsync("DELETE FROM sessions WHERE expires_at <= @now", token, ("@now", Now));
            await ExecuteAsync(
                "INSERT INTO sessions (id, content, kept, expires_at) VALUES (@id, @content, @kept, @expires)",
                token, parameters);
        }
    }

    public Task RefreshAsync(string key, CancellationToken token = default) => ExecuteAsync(
        "UPDATE sessions SET expires_at = kept + @now WHERE id = @id", token, ("@id", key), ("@now", Now));

    public Task RemoveAsync(string key, CancellationToken token = default) =>
        ExecuteAsync("DELETE FROM sessions WHERE id = @id", token, ("@id", key));

    // Sessions are asynchronous where they are loaded first, as Basket does.
    public byte[]? Get(string key) => GetAsync(key).GetAwaiter().GetResult();

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        SetAsync(key, value, options).GetAwaiter().GetResult();

    public void Refresh(string key) => RefreshAsync(key).GetAwaiter().GetResult();

    public void Remove(string key) => RemoveAsync(key).GetAwaiter().GetResult();

    private long Now => time.GetUtcNow().ToUnixTimeSeconds();

    private async Task<int> ExecuteAsync(
        string sql, CancellationToken cancellationToken, params (string Name, object Value)[] parameters)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(sql, parameters);
        return await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
