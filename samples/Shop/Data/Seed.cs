using System.Data.Common;
using System.Globalization;
using System.Text.Json;
using ShopSample.Catalog;

namespace ShopSample.Data;

/// <summary>The items that a new shop begins with.</summary>
internal static class Seed
{
    private sealed record SeedItem(
        string Slug, string Name, string Category, decimal Price, int Stock, string Summary, string Description);

    /// <summary>Leaves a shop alone that has items.</summary>
    public static async Task FillAsync(DbConnection connection)
    {
        await using var transaction = await connection.BeginTransactionAsync();
        await using (var count = transaction.CreateCommand("SELECT COUNT(*) FROM items"))
        {
            if (Convert.ToInt64(await count.ExecuteScalarAsync(), CultureInfo.InvariantCulture) > 0)
            {
                return;
            }
        }

        var id = 0;
        foreach (var item in Read())
        {
            await InsertAsync(transaction, ++id, item);
        }

        await transaction.CommitAsync();
    }

    private static List<SeedItem> Read()
    {
        using var file = typeof(Seed).Assembly.GetManifestResourceStream("items.json")!;
        return JsonSerializer.Deserialize<List<SeedItem>>(file, JsonSerializerOptions.Web)!;
    }

    private static async Task InsertAsync(DbTransaction transaction, int id, SeedItem item)
    {
        await using var insert = transaction.CreateCommand(
            """
            INSERT INTO items (id, slug, category, name, summary, description, search_text, price_cents, stock)
            VALUES (@id, @slug, @category, @name, @summary, @description, @search_text, @price_cents, @stock)
            """,
            ("@id", id),
            ("@slug", item.Slug),
            ("@category", item.Category),
            ("@name", item.Name),
            ("@summary", item.Summary),
            ("@description", item.Description),
            ("@search_text", SearchText.Of(item.Name, Category.NameOf(item.Category), item.Summary, item.Description)),
            ("@price_cents", Money.ToCents(item.Price)),
            ("@stock", item.Stock));
        await insert.ExecuteNonQueryAsync();
    }
}
