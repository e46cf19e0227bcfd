namespace ShopSample.Catalog;

/// <summary>What a page of several items shows of each.</summary>
public record ItemCard(int Id, string Slug, string Name, string Category, string Summary, decimal Price, int Stock);

/// <summary>An item with all there is to say about it.</summary>
public sealed record Item(
    int Id,
    string Slug,
    string Name,
    string Category,
    string Summary,
    decimal Price,
    int Stock,
    string Description) : ItemCard(Id, Slug, Name, Category, Summary, Price, Stock);
