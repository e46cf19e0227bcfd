using System.Data.Common;
using ShopSample.Data;

namespace ShopSample.Catalog;

/// <summary>Reads items. Pages show what is in the database now: prices and stock are not kept in memory.</summary>
public sealed class ItemStore(ShopDatabase database)
{
    /// <summary>The most that one page shows.</summary>
    public const int PageSize = 50;

    private const string CardColumns = "id, slug, name, category, summary, price_cents, stock";

    private static readonly string _firstPage = $"SELECT {CardColumns} FROM items ORDER BY id LIMIT {PageSize}";

    private static readonly string _ofCategory =
        $"SELECT {CardColumns} FROM items WHERE category = @category ORDER BY id LIMIT {PageSize}";

    private static readonly string _bySlug = $"SELECT {CardColumns}, description FROM items WHERE slug = @slug";

    /// <summary>The home page's items.</summary>
    public async Task<IReadOnlyList<ItemCard>> FirstPageAsync(CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(_firstPage);
        return await CardsAsync(command, cancellationToken);
    }

    public async Task<IReadOnlyList<ItemCard>> OfCategoryAsync(string category, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(_ofCategory, ("@category", category));
        return await CardsAsync(command, cancellationToken);
    }

    /// <returns>The items in which every word of the search occurs; none when it has no word.</returns>
    public async Task<IReadOnlyList<ItemCard>> SearchAsync(string search, CancellationToken cancellationToken)
    {
        var patterns = SearchText.PatternsOf(search);
        if (patterns.Count == 0)
        {
            return [];
        }

        var words = patterns.Select((_, i) => $"search_text LIKE @word{i} ESCAPE '{SearchText.Escape}'");
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(
            $"SELECT {CardColumns} FROM items WHERE {string.Join(" AND ", words)} ORDER BY id LIMIT {PageSize}");
        for (var i = 0; i < patterns.Count; i++)
        {
            command.Add($"@word{i}", patterns[i]);
        }

        return await CardsAsync(command, cancellationToken);
    }

    /// <returns>Null when there is no such item.</returns>
    public async Task<Item?> FindAsync(string slug, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(_bySlug, ("@slug", slug));
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        if (!await reader.ReadAsync(cancellationToken))
        {
            return null;
        }

        var card = Card(reader);
        return new Item(
            card.Id, card.Slug, card.Name, card.Category, card.Summary, card.Price, card.Stock, reader.GetString(7));
    }

    /// <returns>Those that exist, in no particular order.</returns>
    public async Task<IReadOnlyList<ItemCard>> WithIdsAsync(
        IReadOnlyCollection<int> ids, CancellationToken cancellationToken)
    {
        if (ids.Count == 0)
        {
            return [];
        }

        await using var connection = await database.OpenAsync(cancellationToken);
        await using var command = connection.CreateCommand(
            $"SELECT {CardColumns} FROM items WHERE id IN ({string.Join(", ", ids.Select((_, i) => $"@id{i}"))})");
        foreach (var (i, id) in ids.Index())
        {
            command.Add($"@id{i}", id);
        }

        return await CardsAsync(command, cancellationToken);
    }

    private static async Task<IReadOnlyList<ItemCard>> CardsAsync(
        DbCommand command, CancellationToken cancellationToken)
    {
        var cards = new List<ItemCard>(PageSize);
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            cards.Add(Card(reader));
        }

        return cards;
    }

    private static ItemCard Card(DbDataReader reader) => new(
        reader.GetInt32(0),
        reader.GetString(1),
        reader.GetString(2),
        reader.GetString(3),
        reader.GetString(4),
        reader.GetMoney(5),
        reader.GetInt32(6));
}
