using System.Collections.Frozen;

namespace ShopSample.Catalog;

/// <summary>A department. They change with the layout, not with the stock, so they stand in the code.</summary>
public sealed record Category(string Slug, string Name, string Summary)
{
    public static IReadOnlyList<Category> All { get; } =
    [
        new("kitchen", "Kitchen", "Pans, knives and boards that outlast their owners."),
        new("coffee-tea", "Coffee & tea", "For the first quarter of an hour of the day."),
        new("desk", "Desk", "Paper, brass, felt, and a light that stays where you leave it."),
        new("garden", "Garden", "Tools with replaceable parts, and something to plant."),
        new("outdoor", "Outdoor", "Canvas, wool and steel for the days outside."),
        new("living", "Living", "Soft things, warm lights, and a clock you can read."),
    ];

    private static readonly FrozenDictionary<string, Category> _bySlug =
        All.ToFrozenDictionary(category => category.Slug);

    /// <returns>Null when there is no such department.</returns>
    public static Category? Find(string slug) => _bySlug.GetValueOrDefault(slug);

    public static string NameOf(string slug) => Find(slug)?.Name ?? slug;
}
