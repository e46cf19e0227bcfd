using System.Data.Common;
using System.Text.Json;
using ShopSample.Data;
using ShopSample.Ordering;

namespace ShopSample.Baskets;

/// <summary>Baskets in the database, where they outlive a restart. A cookie with random letters names one.</summary>
public sealed class BasketStore(ShopDatabase database, TimeProvider time)
{
    /// <summary>How long a basket is kept that nobody changes.</summary>
    private static readonly TimeSpan _kept = TimeSpan.FromDays(30);

    /// <summary>The visitor's basket, which is read once in a request; an empty one when there is none.</summary>
    public async Task<Basket> OpenAsync(HttpContext context, CancellationToken cancellationToken)
    {
        if (context.Items[typeof(Basket)] is not Basket basket)
        {
            basket = BasketCookie.Read(context) is { } id ? await FindAsync(id, cancellationToken) : new Basket([]);
            context.Items[typeof(Basket)] = basket;
        }

        return basket;
    }

    /// <summary>Lets the rest of the request have an empty basket, without the database.</summary>
    public static void UseEmpty(HttpContext context) => context.Items[typeof(Basket)] = new Basket([]);

    public async Task SaveAsync(HttpContext context, Basket basket, CancellationToken cancellationToken)
    {
        var id = BasketCookie.Read(context) ?? BasketCookie.Create(context);
        if (!await TryUpdateAsync(id, basket, cancellationToken))
        {
            await InsertAsync(id, basket, cancellationToken);
        }
    }

    public async Task DeleteAsync(HttpContext context, CancellationToken cancellationToken)
    {
        context.Items.Remove(typeof(Basket));
        if (BasketCookie.Read(context) is { } id)
        {
            await ExecuteAsync("DELETE FROM baskets WHERE id = @id", [("@id", id)], cancellationToken);
        }
    }

    /// <summary>Deletes the baskets that were left behind.</summary>
    public Task DeleteOldAsync(CancellationToken cancellationToken) => ExecuteAsync(
        "DELETE FROM baskets WHERE changed_at < @oldest",
        [("@oldest", UtcText.Of(time.GetUtcNow() - _kept))],
        cancellationToken);

    private async Task<Basket> FindAsync(string id, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(
            "SELECT quantities, draft FROM baskets WHERE id = @id", ("@id", id));
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        return await reader.ReadAsync(cancellationToken)
            ? new Basket(JsonSerializer.Deserialize<Dictionary<int, int>>(reader.GetString(0))!)
            {
                Draft = JsonSerializer.Deserialize<OrderForm?>(reader.GetString(1)),
            }
            : new Basket([]);
    }

    private async Task<bool> TryUpdateAsync(string id, Basket basket, CancellationToken cancellationToken) =>
        await ExecuteAsync(
            "UPDATE baskets SET changed_at = @changed_at, quantities = @quantities, draft = @draft WHERE id = @id",
            ParametersOf(id, basket),
            cancellationToken) > 0;

    private async Task InsertAsync(string id, Basket basket, CancellationToken cancellationToken)
    {
        try
        {
            await ExecuteAsync(
                """
                INSERT INTO baskets (id, changed_at, quantities, draft)
                VALUES (@id, @changed_at, @quantities, @draft)
                """,
                ParametersOf(id, basket),
                cancellationToken);
        }
        catch (DbException)
        {
            // The id is unique in the database: another tab has just stored the same basket.
            if (!await TryUpdateAsync(id, basket, cancellationToken))
            {
                throw;
            }
        }
    }

    private (string Name, object Value)[] ParametersOf(string id, Basket basket) =>
    [
        ("@id", id),
        ("@changed_at", UtcText.Of(time.GetUtcNow())),
        ("@quantities", JsonSerializer.Serialize(basket.Quantities)),
        ("@draft", JsonSerializer.Serialize(basket.Draft)),
    ];

    private async Task<int> ExecuteAsync(
        string sql, (string Name, object Value)[] parameters, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(sql, parameters);
        return await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
